internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

extension DaemonCommand {
    /// `pawl daemon token`: what a program or a browser needs to use the daemon over TCP.
    struct Token: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Show what a program needs to use the daemon over TCP.",
            discussion: """
                A program with the token may do everything that is possible over TCP. It stays the same until \
                --new, and is in no log. --scope makes another token, which may do less: read \
                allows reading, add also allows adding downloads and changing those, manage allows everything. --url is for a browser: \
                a link that logs it in, once, within ten minutes.
                """
        )

        @Flag(help: "Make a new one; programs and browsers with the old one are out.")
        var new = false

        @Flag(help: "Show a link to log a browser in, in place of the token.")
        var url = false

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Make a token that may do this: read, add or manage.",
                valueName: "scope"
            )
        )
        var scope: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The name of that token. Default: its scope.", valueName: "name")
        )
        var name: String?

        @Flag(help: "Show the names and scopes of all tokens.")
        var list = false

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Revoke the token of that name immediately.", valueName: "name")
        )
        var revoke: String?

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            try checkSingle()
            let made = try namedToken()
            let (makesNew, showsURL, lists, revoked) = (new, url, list, revoke)
            return try daemonWork(console) { (client) async throws(DownloadError) in
                try client.places.prepare()
                let tokens = NamedTokenFile(client.places)
                if let made {
                    console.output(try tokens.add(made.name, made.scope).token + "\n")
                    return 0
                }
                if let revoked {
                    try tokens.revoke(revoked)
                    console.message("The token '\(revoked.sanitized)' no longer works.")
                    return 0
                }
                guard !lists else {
                    console.output(try Self.table(tokens.entries()))
                    return 0
                }
                let file = AccessTokenFile(client.places)
                let keys = makesNew ? try file.renew() : try file.keys()
                guard showsURL else {
                    console.output(keys.token + "\n")
                    return 0
                }
                try client.checkRuns()
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
            throw DownloadError(
                .usage,
                "\(given.joined(separator: " and ")) exclude each other",
                advice: "give one of them"
            )
        }

        private func namedToken() throws(DownloadError) -> (name: String, scope: TokenScope)? {
            guard let scope else {
                guard name == nil else {
                    throw DownloadError(
                        .usage,
                        "--name without --scope",
                        advice: "say what the token may do: --scope read, add or manage"
                    )
                }
                return nil
            }
            guard let known = TokenScope(rawValue: scope.lowercased()) else {
                throw DownloadError(
                    .usage,
                    "--scope: '\(scope.sanitized(atMost: 40))' is not a scope",
                    advice: "give read, add or manage"
                )
            }
            return (name ?? known.rawValue, known)
        }

        /// Without the tokens themselves.
        private static func table(_ entries: [NamedTokenFile.Entry]) -> String {
            let rows = [(TokenName.main, TokenScope.manage)] + entries.map { ($0.name, $0.scope) }
            let width = rows.map(\.0.utf8.count).max() ?? 0
            return rows.map { name, scope in
                name + String(repeating: " ", count: width - name.utf8.count + 2)
                    + "\(scope.rawValue)\n"
            }.joined()
        }
    }
}
