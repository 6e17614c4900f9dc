internal import Pawl
internal import PawlCore
internal import PawlWire

/// The tokens of the daemon: in files of this machine, or in a database, which only the daemon
/// changes.
struct ChosenTokens {
    private let client: DaemonClient
    private let named: NamedTokenFile
    private let areShared: Bool

    /// - Throws: `.daemonUnavailable` if the tokens are in a database and the daemon does not run.
    init(_ client: DaemonClient) async throws(DownloadError) {
        (self.client, named) = (client, NamedTokenFile(client.paths))
        areShared = SharedTokensMark(client.paths).exists
        if areShared { try await client.process.checkRuns() }
    }

    func make(_ name: String, _ scope: TokenScope) async throws(DownloadError) -> String {
        guard areShared else { return try named.add(name, scope).token }
        return try await client.makeToken(NewToken(name: name, scope: scope))
    }

    /// Revokes a token, which may be in a file of this machine in any case.
    func revoke(_ name: String) async throws(DownloadError) {
        let isOwn = try named.entries().contains { $0.name == name }
        guard areShared, !isOwn else { return try named.revoke(name) }
        try await client.revokeToken(name)
    }

    /// Returns all tokens, first the main token.
    func list() async throws(DownloadError) -> [WireToken] {
        let own = try named.entries().map { WireToken(name: $0.name, scope: $0.scope) }
        guard areShared else {
            return [WireToken(name: TokenName.main, scope: .manage)] + own
        }
        return try await client.tokens() + own
    }

    /// Returns the main token, or a new one that replaces it.
    func main(replacing: Bool) async throws(DownloadError) -> String {
        guard areShared else {
            let file = AccessTokenFile(client.paths)
            return try replacing ? file.renew().token : file.keys().token
        }
        return try await client.makeToken(
            NewToken(name: TokenName.main, replaces: replacing ? true : nil)
        )
    }
}
