internal import ArgumentParser
internal import Glibc
internal import Logging
internal import Pawl
internal import PawlCLI
internal import PawlCore
internal import PawlDaemon
internal import PawlWire

/// `pawld`, the program that `pawl daemon run` executes.
struct DaemonProgram: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: DaemonProgramFile.name,
        abstract: "Run the downloads of the queue; 'pawl daemon' starts this program.",
        version: "\(DaemonProgramFile.name) \(PawlVersion.current)"
    )

    @OptionGroup var options: DaemonOptions

    @Option(help: .hidden)
    var readyDescriptor: Int32?

    /// A pipe with an `Aria2Launch` as JSON.
    @Option(help: .hidden)
    var aria2Descriptor: Int32?

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let ready = ReadySignal(descriptor: readyDescriptor)
        do throws(DownloadError) {
            return try work(console, ready)
        } catch {
            ready.failed(error)
            throw error
        }
    }

    private func work(_ console: Console, _ ready: ReadySignal) throws(DownloadError) -> VerbWork {
        // Each thread of the server uses three descriptors.
        try OpenFileLimit.require(128)
        let paths = try DaemonPaths.current()
        let manager = ServiceManager.current()
        // A background process must not keep a file system busy.
        if readyDescriptor != nil { chdir("/") }
        let level: Logger.Level = options.verbose ? .debug : .info
        // Only a background process writes to a log file. In the foreground the log goes to the
        // terminal, and that of a service to systemd's journal.
        let rotation = readyDescriptor.map { _ in LogRotation(path: paths.log) }
        let logger = Logger(label: "pawl") { _ in
            RotatingLogHandler(
                ConsoleLogHandler(console: console, level: level, format: DaemonLogLine.text),
                rotation
            )
        }
        var daemon = Daemon(paths: paths, logger: logger)
        if let limit = try options.limit() { daemon.limit = limit }
        daemon.node = try options.nodeName()
        daemon.store = try ChosenStore.take(typed: options.store)
        if let warning = ChosenStore.warning(about: options.store) { logger.warning("\(warning)") }
        daemon.change = try options.settingsChange()
        if let limit = try options.clientTimeLimit() {
            daemon.limits = ConnectionLimits(times: limit)
        }
        daemon.aria2Launch = try aria2Descriptor.map(Aria2LaunchReader.read)
        daemon.socket = try ListeningSocket.handedOver()
        let prepared = daemon
        return {
            do throws(DownloadError) {
                try await manager.reportingStop { () async throws(DownloadError) in
                    try await prepared.run { address in
                        logger.notice("the daemon (process \(getpid())) listens at \(address)")
                        ready.ready()
                        manager.send("READY=1")
                    }
                }
                logger.notice("the daemon has stopped")
                return 0
            } catch {
                ready.failed(error)
                console.report(error)
                return error.code.exitStatus
            }
        }
    }
}
