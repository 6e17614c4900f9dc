internal import ArgumentParser
internal import Glibc
internal import Logging
internal import Pawl
internal import PawlCLI
internal import PawlCore
internal import PawlDaemon
internal import PawlWire

/// `pawld`: what `pawl daemon run` becomes.
struct DaemonProgram: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: DaemonProgramFile.name,
        abstract: "Carry downloads on when nobody waits: pawl daemon run.",
        version: "\(DaemonProgramFile.name) \(PawlVersion.current)"
    )

    @OptionGroup var options: DaemonOptions

    @Option(help: .hidden)
    var readyDescriptor: Int32?

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
        // Each thread of the server has three.
        try OpenFileLimit.require(128)
        let places = try DaemonPlaces.current()
        let manager = ServiceManager.current()
        // In the background it holds no folder.
        if readyDescriptor != nil { chdir("/") }
        let level: Logger.Level = options.verbose ? .debug : .info
        // In front it writes to a terminal, and as a service to systemd's journal.
        let rotation = readyDescriptor.map { _ in LogRotation(path: places.log) }
        let logger = Logger(label: "pawl") { _ in
            RotatingLogHandler(
                ConsoleLogHandler(console: console, level: level, form: DaemonLogLine.text),
                rotation
            )
        }
        var daemon = Daemon(places: places, logger: logger)
        if let limit = try options.limit() { daemon.limit = limit }
        daemon.listen = try options.listenChoice()
        if let most = try options.slowestClient() { daemon.limits = ConnectionLimits(times: most) }
        daemon.socket = try ListeningSocket.handedOver()
        let prepared = daemon
        return {
            do throws(DownloadError) {
                try await manager.tellingOfTheEnd { () async throws(DownloadError) in
                    try await prepared.run { place in
                        logger.notice("the daemon (process \(getpid())) answers at \(place)")
                        ready.ready()
                        manager.tell("READY=1")
                    }
                }
                logger.notice("the daemon has ended")
                return 0
            } catch {
                ready.failed(error)
                console.report(error)
                return error.code.exitStatus
            }
        }
    }
}
