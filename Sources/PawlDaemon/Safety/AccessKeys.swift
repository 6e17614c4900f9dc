internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The tokens and cookies that authenticate requests, according to the current content of the
/// user's files.
final class AccessKeys: Sendable {
    /// The cookie's name.
    static let cookie = "pawl"

    /// A token, and the cookie that a browser gets for it.
    private struct Key {
        var authority: Authority
        var token: SecretText?
        var cookie: SecretText?
        var cookieText: String?
    }

    private struct State {
        var stamps: [ChangeStamp?] = []
        var keys: [Key] = []
    }

    private let main: AccessTokenFile
    private let named: NamedTokenFile
    /// The keys that are in no file.
    private let others: [Key]
    private let state = Mutex(State())

    /// Creates the file of the main token if it does not exist.
    ///
    /// `secret`: another secret with the rights of the main token.
    init(
        _ main: AccessTokenFile,
        _ named: NamedTokenFile,
        secret: String? = nil
    ) throws(DownloadError) {
        (self.main, self.named) = (main, named)
        others =
            secret.map { secret in
                [Key(authority: .token(TokenName.main, .manage), token: SecretText(secret))]
            } ?? []
        _ = try main.keys()
    }

    /// The token or cookie of a request, and the authority that it gives.
    struct UsedKey: Sendable {
        var authority: Authority
        fileprivate var secret: String
        fileprivate var isCookie: Bool
    }

    /// Checks the fields `Authorization` and `Cookie` of a request; returns the key that was used,
    /// if any.
    func judge(
        authorization: [String],
        cookies: [String]
    ) -> (credentials: RequestGuard.CredentialState, usedKey: UsedKey?) {
        let given: [Substring]
        if let field = authorization.first {
            let words = field.split(separator: " ", omittingEmptySubsequences: true)
            guard authorization.count == 1, words.count == 2, words[0].lowercased() == "bearer"
            else { return (.wrong, nil) }
            given = [words[1]]
        } else {
            // A server at another port of this machine may have set a cookie of the same name.
            given = cookies.flatMap { $0.split(separator: ";") }.compactMap(Self.value)
        }
        guard !given.isEmpty else { return (.none, nil) }
        let isCookie = authorization.isEmpty
        for secret in given {
            guard let authority = authority(of: secret, isCookie: isCookie) else { continue }
            let usedKey = UsedKey(authority: authority, secret: String(secret), isCookie: isCookie)
            return (.right(authority), usedKey)
        }
        return (.wrong, nil)
    }

    /// Whether a key still gives the same authority.
    func isStillValid(_ usedKey: UsedKey) -> Bool {
        authority(of: usedKey.secret[...], isCookie: usedKey.isCookie) == usedKey.authority
    }

    /// The cookie that a browser gets for a login code.
    var pageCookie: String? { current().first { $0.authority == .page }?.cookieText }

    /// Returns the cookie that a browser gets for a token; `nil` if the token is invalid.
    func cookie(forToken token: String) -> String? {
        current().first { $0.token?.matches(token) == true }?.cookieText
    }

    /// Compares with each key, so that the time reveals nothing about the keys.
    private func authority(of secret: Substring, isCookie: Bool) -> Authority? {
        var found: Authority?
        for key in current()
        where (isCookie ? key.cookie : key.token)?.matches(secret) == true { found = key.authority }
        return found
    }

    /// Returns the value of `pawl=…`.
    private static func value(_ cookie: Substring) -> Substring? {
        let cookie = cookie.drop { $0 == " " }
        guard cookie.hasPrefix("\(Self.cookie)=") else { return nil }
        return cookie.dropFirst(Self.cookie.utf8.count + 1)
    }

    /// Returns the keys; reads the files again if they have changed.
    private func current() -> [Key] {
        state.withLock { state in
            let stamps = [main.stamp, named.stamp]
            guard stamps != state.stamps else { return state.keys }
            state = State(stamps: stamps, keys: others)
            // A file that cannot be read gives no key.
            if stamps[0] != nil, let keys = try? main.keys() {
                state.keys.append(Self.key(.page, cookie: keys.cookie))
                let authority = Authority.token(TokenName.main, .manage)
                state.keys.append(Self.key(authority, token: keys.token))
            }
            for entry in (try? named.entries()) ?? [] {
                let authority = Authority.token(entry.name, entry.scope)
                state.keys.append(Self.key(authority, token: entry.token))
            }
            return state.keys
        }
    }

    private static func key(_ authority: Authority, cookie: String) -> Key {
        Key(authority: authority, cookie: SecretText(cookie), cookieText: cookie)
    }

    private static func key(_ authority: Authority, token: String) -> Key {
        let cookie = AccessTokenFile.cookie(forToken: token)
        return Key(
            authority: authority,
            token: SecretText(token),
            cookie: cookie.map { SecretText($0) },
            cookieText: cookie
        )
    }
}
