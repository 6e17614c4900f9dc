internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon`: the process that carries downloads on when nobody waits for them.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Run the process that carries downloads on when nobody waits.",
        subcommands: [
            Run.self, Start.self, Stop.self, Restart.self, Status.self, Logs.self, Token.self,
            Allow.self,
            Install.self, Uninstall.self,
        ]
    )

    /// `pawl daemon run`: this process becomes the daemon's program.
    struct Run: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Run the daemon in front, until Ctrl-C or SIGTERM."
        )

        @OptionGroup var options: DaemonOptions

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            try options.check()
            let program = try DaemonProgramFile.path()
            var arguments = ([DaemonProgramFile.name] + options.words).map { strdup($0) } + [nil]
            execv(program, &arguments)
            let reason = String(cString: strerror(errno))
            for argument in arguments { free(argument) }
            throw DownloadError(
                .daemonUnavailable,
                "the daemon's program cannot be run: \(reason)",
                advice: "look at \(program)"
            )
        }
    }

    /// `pawl daemon start`: in the background; nothing where one runs.
    struct Start: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Start the daemon in the background, unless it runs."
        )

        @OptionGroup var options: DaemonOptions

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            try options.check()
            let (words, late) = (options.words, try LateOptions(options))
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let start = try await client.startDaemon(words)
                try await late.apply(to: client, after: start, console)
                let status = try await client.status()
                let state = start == .earlier ? "runs already" : "has started"
                let place = status.url.map { " and answers at \($0)" } ?? ""
                console.message(
                    "The daemon (process \(status.processIdentifier)) \(state)\(place)."
                )
                if let problem = status.listenProblem {
                    console.message("There is no API over TCP: \(problem.sanitized).")
                }
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
                let process = try await client.stopDaemon()
                console.message("The daemon (process \(process)) has ended.")
                return 0
            }
        }
    }

    /// `pawl daemon restart`: as after an upgrade.
    struct Restart: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "restart",
            abstract: "Stop the daemon and start it again; running downloads continue.",
            discussion: "Without options, the daemon keeps those it was started with. Nothing is "
                + "lost."
        )

        @OptionGroup var options: DaemonOptions

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            try options.check()
            let (words, late) = (options.words, try LateOptions(options))
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let (old, start) = try await client.restartDaemon(words.isEmpty ? nil : words)
                try await late.apply(to: client, after: start, console)
                let status = try await client.status()
                let before = old.map { " (was process \($0))" } ?? ""
                console.message(
                    "The daemon (process \(status.processIdentifier), version \(status.version)) "
                        + "has started\(before)."
                )
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
                try client.checkRuns()
                let status = try await client.status()
                console.output(json ? JSONText.pretty(status) + "\n" : DaemonReport.text(status))
                return 0
            }
        }
    }
}
