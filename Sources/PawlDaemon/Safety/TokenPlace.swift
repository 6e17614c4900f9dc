internal import Pawl
internal import PawlCore
internal import PawlWire

/// Where the tokens are kept; its calls block.
protocol TokenPlace: Sendable {
    /// Returns all tokens, first the main token.
    func list() throws(DownloadError) -> [WireToken]

    /// Creates a token, and returns it.
    ///
    /// - Throws: `.usage` if the name is taken or not valid.
    func add(_ name: String, _ scope: TokenScope) throws(DownloadError) -> String

    /// Revokes a token.
    ///
    /// - Throws: `.notFound` if there is none of that name.
    func revoke(_ name: String) throws(DownloadError)

    /// Returns the main token, or a new one that replaces it.
    func main(replacing: Bool) throws(DownloadError) -> String
}

/// The tokens in the files of this machine, which `pawl daemon token` changes without the daemon.
struct FileTokens: TokenPlace {
    private let main: AccessTokenFile
    private let named: NamedTokenFile

    init(_ paths: DaemonPaths) {
        (main, named) = (AccessTokenFile(paths), NamedTokenFile(paths))
    }

    func list() throws(DownloadError) -> [WireToken] {
        [WireToken(name: TokenName.main, scope: .manage)]
            + (try named.entries().map { WireToken(name: $0.name, scope: $0.scope) })
    }

    func add(_ name: String, _ scope: TokenScope) throws(DownloadError) -> String {
        try named.add(name, scope).token
    }

    func revoke(_ name: String) throws(DownloadError) { try named.revoke(name) }

    func main(replacing: Bool) throws(DownloadError) -> String {
        try replacing ? main.renew().token : main.keys().token
    }
}
