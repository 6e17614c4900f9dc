internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon token`: prints and manages the tokens with which programs and browsers use the
/// daemon over TCP.
struct DaemonTokenCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print or manage the tokens for access over TCP.",
        discussion: """
            Without options, prints the main token. A program with this token can do everything \
            that is possible over TCP. The token is valid until --new replaces it, and it is never \
            logged.

            --scope creates another token. read allows reading. add also allows adding downloads, \
            and changing the downloads added with the same token. manage allows everything that is \
            possible over TCP.

            --url prints a link that logs a browser in. The link works once and expires after ten \
            minutes.
            """
    )

    @Flag(help: "Replace the main token; the old one becomes invalid immediately.")
    var new = false

    @Flag(help: "Print a link that logs a browser in.")
    var url = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Create a token with these rights: read, add or manage.",
            valueName: "scope"
        )
    )
    var scope: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The name of the token to create. Default: its scope.",
            valueName: "name"
        )
    )
    var name: String?

    @Flag(help: "List the names and scopes of all tokens.")
    var list = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Revoke the token with this name immediately.", valueName: "name")
    )
    var revoke: String?

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try checkSingle()
        let created = try namedToken()
        let (replaces, showsURL, lists, revoked) = (new, url, list, revoke)
        return try ownDaemonWork("pawl daemon token", console) {
            (client) async throws(DownloadError) in
            try client.paths.prepare()
            let tokens = try await ChosenTokens(client)
            if let created {
                let token = try await tokens.make(created.name, created.scope)
                console.output(token + "\n")
                return 0
            }
            if let revoked {
                try await tokens.revoke(revoked)
                console.message("The token '\(revoked.sanitized)' is revoked.")
                return 0
            }
            guard !lists else {
                console.output(Self.table(try await tokens.list()))
                return 0
            }
            guard showsURL else {
                console.output(try await tokens.main(replacing: replaces) + "\n")
                return 0
            }
            try await client.process.checkRuns()
            console.output(try await client.loginCode().url + "\n")
            return 0
        }
    }

    private func checkSingle() throws(DownloadError) {
        let given = [
            new ? "--new" : nil, url ? "--url" : nil, scope.map { _ in "--scope" },
            list ? "--list" : nil, revoke.map { _ in "--revoke" },
        ].compactMap(\.self)
        guard given.count > 1 else { return }
        throw .usage(
            "\(given.joined(separator: " and ")) cannot be combined",
            advice: "use one of them"
        )
    }

    private func namedToken() throws(DownloadError) -> (name: String, scope: TokenScope)? {
        guard let scope else {
            guard name == nil else {
                throw .usage("--name requires --scope", advice: "add --scope read, add or manage")
            }
            return nil
        }
        guard let known = TokenScope(rawValue: scope.lowercased()) else {
            throw .usage(
                "invalid scope '\(scope.sanitized(atMost: 40))'",
                advice: "use read, add or manage"
            )
        }
        return (name ?? known.rawValue, known)
    }

    /// The names and scopes, without the tokens themselves.
    private static func table(_ tokens: [WireToken]) -> String {
        .table(tokens.map { ($0.name, $0.scope.rawValue) })
    }
}
