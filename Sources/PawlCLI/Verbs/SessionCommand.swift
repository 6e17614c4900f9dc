internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl session`: lists and forgets sessions, which are named sets of downloads.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List or forget the sessions of the daemon.",
        discussion:
            "A session is a named group of downloads, usually the downloads of one program.",
        subcommands: [List.self, Forget.self]
    )

    /// `pawl session forget`: forgets sessions; their downloads are kept and belong to no session.
    struct Forget: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "Forget sessions and keep their downloads.",
            discussion:
                "Use it for sessions whose program no longer exists. A session that a process is "
                + "using cannot be forgotten."
        )

        @Argument(help: ArgumentHelp("Names or name patterns.", valueName: "session"))
        var names: [String] = []

        @Flag(help: "Print JSON.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let (names, json) = (names, json)
            guard !names.isEmpty else {
                throw .usage(
                    "no session is given",
                    advice: "use names or patterns from 'pawl session list'"
                )
            }
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let sessions = try await SessionCommand.sessions(names, client)
                // Either all of them are forgotten or none.
                if let attached = sessions.first(where: { $0.process != nil }) {
                    throw .usage(
                        "the session '\(attached.identifier.sanitized)' is attached to process "
                            + "\(attached.process ?? 0)",
                        advice: "end that process first"
                    )
                }
                for session in sessions { try await client.forgetSession(session.identifier) }
                console.show(sessions, json: json) {
                    sessions.map { "\($0.identifier.sanitized)\tforgotten\n" }.joined()
                }
                return 0
            }
        }
    }

    /// `pawl session list`: lists sessions.
    struct List: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the sessions and how many downloads each has."
        )

        @Argument(
            help: ArgumentHelp("Only these sessions: names or name patterns.", valueName: "session")
        )
        var names: [String] = []

        @Flag(help: "Print JSON.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let (names, json) = (names, json)
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let sessions = try await SessionCommand.sessions(names, client)
                console.show(sessions, json: json) { sessions.map(Self.line).joined() }
                return 0
            }
        }

        private static func line(_ session: WireSession) -> String {
            let owner = session.process.map { "\tattached to process \($0)" } ?? ""
            return "\(session.identifier.sanitized)\t\(session.counts.statesText)\(owner)\n"
        }
    }

    /// The sessions with these names, each once; all sessions if there are no names.
    private static func sessions(
        _ names: [String],
        _ client: DaemonClient
    ) async throws(DownloadError) -> [WireSession] {
        let all = try await client.sessions()
        guard !names.isEmpty else { return all }
        return try NamedChoice.items(names, of: all, "session") { session, name in
            NamePattern.matches(name, session.identifier)
        }
    }
}
