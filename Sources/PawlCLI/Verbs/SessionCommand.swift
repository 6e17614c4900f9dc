internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl session`: named sets of the daemon's downloads.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Show the sessions of the daemon.",
        subcommands: [List.self, Forget.self]
    )

    /// `pawl session forget`: its downloads stay, and belong to none.
    struct Forget: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "Forget a session that no process will come back to; its downloads stay."
        )

        @Argument(help: ArgumentHelp("The session's name.", valueName: "session"))
        var identifier: String

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let identifier = identifier
            return try daemonWork(console) { (client) async throws(DownloadError) in
                try await client.forgetSession(identifier)
                return 0
            }
        }
    }

    /// `pawl session list`.
    struct List: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the sessions and how many downloads each has."
        )

        @Flag(help: "Write JSON.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let json = json
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let sessions = try await client.sessions().sessions
                console.output(
                    json ? JSONText.pretty(sessions) + "\n" : sessions.map(Self.line).joined()
                )
                return 0
            }
        }

        private static func line(_ session: WireSession) -> String {
            let counts = session.counts.sorted { $0.key < $1.key }
                .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            let owner = session.process.map { "\tattached to process \($0)" } ?? ""
            return "\(session.identifier.sanitized)\t\(counts.isEmpty ? "-" : counts)\(owner)\n"
        }
    }
}
