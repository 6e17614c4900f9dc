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
            abstract: "Forget sessions that no process will come back to; their downloads stay."
        )

        @Argument(help: ArgumentHelp("Names, or patterns of names.", valueName: "session"))
        var names: [String] = []

        @Flag(help: "Write JSON.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let (names, json) = (names, json)
            guard !names.isEmpty else {
                throw DownloadError(
                    .usage,
                    "no session is named",
                    advice: "give names or patterns as pawl session list shows them"
                )
            }
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let sessions = try await SessionCommand.sessions(names, client)
                // All, or none.
                if let taken = sessions.first(where: { $0.process != nil }) {
                    throw DownloadError(
                        .usage,
                        "the session '\(taken.identifier.sanitized)' is attached to process "
                            + "\(taken.process ?? 0)",
                        advice: "end that one first"
                    )
                }
                for session in sessions { try await client.forgetSession(session.identifier) }
                console.output(
                    json
                        ? JSONText.pretty(sessions) + "\n"
                        : sessions.map { "\($0.identifier.sanitized)\tforgotten\n" }.joined()
                )
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

        @Argument(
            help: ArgumentHelp("Only these: names, or patterns of names.", valueName: "session")
        )
        var names: [String] = []

        @Flag(help: "Write JSON.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let (names, json) = (names, json)
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let sessions = try await SessionCommand.sessions(names, client)
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

    /// Those that are named, each once; all where none is.
    private static func sessions(
        _ names: [String],
        _ client: DaemonClient
    ) async throws(DownloadError) -> [WireSession] {
        let all = try await client.sessions()
        guard !names.isEmpty else { return all }
        for name in names {
            guard all.contains(where: { isMeant($0, by: name) }) else {
                throw DownloadError(
                    .notFound,
                    "there is no session '\(name.sanitized(atMost: 100))'",
                    advice: "see pawl session list"
                )
            }
        }
        return all.filter { session in names.contains { isMeant(session, by: $0) } }
    }

    private static func isMeant(_ session: WireSession, by name: String) -> Bool {
        NamePattern.matches(name, session.identifier)
    }
}
