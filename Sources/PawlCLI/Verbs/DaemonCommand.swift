internal import ArgumentParser
internal import Glibc
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlDaemon
internal import PawlWire

/// `pawl daemon`: the process that carries downloads on when nobody waits for them.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Run the process that carries downloads on when nobody waits.",
        subcommands: [Run.self, Start.self, Stop.self, Status.self, Logs.self]
    )

    /// `pawl daemon run`: in front, until it is told to end.
    struct Run: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Run the daemon in front, until Ctrl-C or SIGTERM."
        )

        @Option(
            name: [.customShort("j", allowingJoined: true), .long],
            parsing: .unconditional,
            help: ArgumentHelp("Downloads at a time, 1 to 1000. Default: 5.", valueName: "n")
        )
        var jobs: String?

        @Flag(name: .shortAndLong, help: "Say what is being done.")
        var verbose = false

        @Option(help: .hidden)
        var readyDescriptor: Int32?

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let places = try DaemonPlaces.current()
            // In the background it holds no folder.
            if readyDescriptor != nil { chdir("/") }
            let level: Logger.Level = verbose ? .debug : .info
            let logger = Logger(label: "pawl") { _ in
                DaemonLogHandler(console: console, level: level)
            }
            var daemon = Daemon(places: places, logger: logger)
            if let jobs {
                daemon.limit = try usage("--jobs") { () throws(ValueError) in
                    try NumberText.count(jobs, in: 1...1000)
                }
            }
            let (prepared, ready) = (daemon, ReadySignal(descriptor: readyDescriptor))
            return {
                do throws(DownloadError) {
                    try await prepared.run {
                        let place = places.socket
                        logger.notice("the daemon (process \(getpid())) answers at \(place)")
                        ready.ready()
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

    /// `pawl daemon start`: in the background; nothing where one runs.
    struct Start: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Start the daemon in the background, unless it runs."
        )

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            try daemonWork(console) { (client) async throws(DownloadError) in
                let wasThere = try await client.startDaemon()
                let status = try await client.status()
                let words = wasThere ? "runs already" : "has started"
                console.message("The daemon (process \(status.processIdentifier)) \(words).")
                return 0
            }
        }
    }

    /// `pawl daemon stop`: downloads that run keep what came and go on with the next start.
    struct Stop: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "stop",
            abstract: "End the daemon; what runs goes on with the next start."
        )

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            try daemonWork(console) { (client) async throws(DownloadError) in
                let status = try await client.status()
                kill(status.processIdentifier, SIGTERM)
                try await client.waitForEnd()
                console.message("The daemon (process \(status.processIdentifier)) has ended.")
                return 0
            }
        }
    }

    /// `pawl daemon status`.
    struct Status: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show whether the daemon runs, and what it has to do."
        )

        @Flag(help: "Write a JSON object.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let json = json
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let status = try await client.status()
                console.output(json ? JSONText.pretty(status) + "\n" : DaemonReport.text(status))
                return 0
            }
        }
    }
}
