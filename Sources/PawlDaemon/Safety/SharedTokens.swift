internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The tokens and login codes in a database, which are valid for all daemons that use it.
///
/// Requests are compared with a copy in memory, which ``reread()`` renews after each change.
final class SharedTokens: TokenPlace {
    private let store: any QueueStore
    private let state = Mutex<[AccessKey]>([])

    /// Reads the tokens; a database without a main token gets that of the file.
    init(_ store: any QueueStore, main file: AccessTokenFile) throws(DownloadError) {
        self.store = store
        let own = try file.keys()
        try store.write { transaction in
            guard try transaction.tokens.main() == nil else { return }
            try transaction.tokens.setMain(token: own.token, cookie: own.cookie, ifNone: true)
        }
        try reread()
    }

    /// The keys as they were read last.
    var keys: [AccessKey] { state.withLock { $0 } }

    /// Reads the tokens again.
    func reread() throws(DownloadError) {
        let (main, rows) = try store.readBlocking { transaction in
            (try transaction.tokens.main(), try transaction.tokens.all())
        }
        var keys = rows.map { AccessKey($0) }
        if let main {
            keys.append(AccessKey(page: main.cookie))
            keys.append(AccessKey(TokenName.main, .manage, token: main.token))
        }
        state.withLock { [keys] in $0 = keys }
    }

    // MARK: - Tokens

    func list() throws(DownloadError) -> [WireToken] {
        let rows = try store.readBlocking { try $0.tokens.all() }
        return [WireToken(name: TokenName.main, scope: .manage)]
            + rows.map { WireToken(name: $0.name, scope: $0.scope) }
    }

    func add(_ name: String, _ scope: TokenScope) throws(DownloadError) -> String {
        try NamedTokenFile.check(name)
        let token = RandomText.make()
        guard let digest = AccessTokenFile.digest(ofSecret: token),
            let cookie = AccessTokenFile.cookie(forToken: token),
            let cookieDigest = AccessTokenFile.digest(ofSecret: cookie)
        else { throw Self.noDigest }
        let row = TokenTable.Row(name, scope, digest: digest, cookieDigest: cookieDigest)
        try store.writeWithRoom { transaction in
            guard try transaction.tokens.all().count < NamedTokenFile.most else {
                throw NamedTokenFile.tooMany
            }
            guard try transaction.tokens.add(row) else { throw NamedTokenFile.taken(name) }
        }
        try reread()
        return token
    }

    func revoke(_ name: String) throws(DownloadError) {
        try store.writeInAnyCase { transaction in
            guard try transaction.tokens.remove(name) else { throw NamedTokenFile.missing(name) }
        }
        try reread()
    }

    func main(replacing: Bool) throws(DownloadError) -> String {
        let keys = AccessTokenFile.makeKeys()
        let token = try store.write { transaction in
            if !replacing, let known = try transaction.tokens.main() { return known.token }
            try transaction.tokens.setMain(token: keys.token, cookie: keys.cookie)
            return keys.token
        }
        try reread()
        return token
    }

    private static let noDigest = DownloadError(
        .unknown,
        "this system cannot compute SHA-256",
        advice: "check the installation of OpenSSL"
    )

    // MARK: - Login codes

    /// Creates a login code.
    func makeCode() throws(DownloadError) -> String {
        let code = RandomText.make()
        guard let digest = AccessTokenFile.digest(ofSecret: code) else { throw Self.noDigest }
        let validity = LoginCodes.validity.seconds
        try store.writeWithRoom { transaction in
            try transaction.tokens.addCode(
                digest,
                until: transaction.now.addingTimeInterval(validity)
            )
        }
        return code
    }

    /// Redeems a login code, which is invalid from now on; returns whether it was valid.
    func redeemCode(_ code: String) throws(DownloadError) -> Bool {
        guard let digest = AccessTokenFile.digest(ofSecret: code) else { return false }
        return try store.writeInAnyCase { try $0.tokens.redeemCode(digest) }
    }
}
