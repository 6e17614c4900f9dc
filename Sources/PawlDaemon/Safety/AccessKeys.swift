internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The keys that admit a request: the tokens in the user's files, as they are now.
final class AccessKeys: Sendable {
    /// The cookie's name.
    static let cookie = "pawl"

    /// A token, and the cookie that a browser has in place of it.
    private struct Key {
        var authority: Authority
        var token: SecretText?
        var cookie: SecretText?
        var cookieText: String?
    }

    private struct State {
        var stamps: [PrivateFile.Stamp?] = []
        var keys: [Key] = []
    }

    private let main: AccessTokenFile
    private let named: NamedTokenFile
    private let state = Mutex(State())

    /// Creates the keys, and the file if there is none.
    init(_ main: AccessTokenFile, _ named: NamedTokenFile) throws(DownloadError) {
        (self.main, self.named) = (main, named)
        _ = try main.keys()
    }

    /// The authority of an admitted request, and the secret that it presented.
    struct Pass: Sendable {
        var authority: Authority
        fileprivate var secret: String
        fileprivate var isCookie: Bool
    }

    /// Judges the fields `Authorization` and `Cookie` of a request.
    ///
    /// Returns `nil`, and whether it has any, if they are not valid.
    func judge(
        authorization: [String],
        cookies: [String]
    ) -> (credentials: RequestGuard.Credentials, pass: Pass?) {
        let given: [Substring]
        if let field = authorization.first {
            let words = field.split(separator: " ", omittingEmptySubsequences: true)
            guard authorization.count == 1, words.count == 2, words[0].lowercased() == "bearer"
            else { return (.wrong, nil) }
            given = [words[1]]
        } else {
            // Another port of this machine may have set a cookie of the same name.
            given = cookies.flatMap { $0.split(separator: ";") }.compactMap(Self.value)
        }
        guard !given.isEmpty else { return (.none, nil) }
        let isCookie = authorization.isEmpty
        for secret in given {
            guard let authority = authority(of: secret, isCookie: isCookie) else { continue }
            let pass = Pass(authority: authority, secret: String(secret), isCookie: isCookie)
            return (.right(authority), pass)
        }
        return (.wrong, nil)
    }

    /// Whether the secret of an admitted request would still be accepted, with the same authority.
    func stillLetsIn(_ pass: Pass) -> Bool {
        authority(of: pass.secret[...], isCookie: pass.isCookie) == pass.authority
    }

    /// The cookie of a browser that logs in with a code.
    var pageCookie: String? { current().first { $0.authority == .page }?.cookieText }

    /// Returns the cookie for a token; `nil` if the token is not valid.
    func cookie(forToken token: String) -> String? {
        current().first { $0.token?.matches(token) == true }?.cookieText
    }

    /// Returns the authority of a secret.
    ///
    /// Each key is compared, so that the time does not show which one is similar.
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

    /// Returns the keys.
    ///
    /// Files that have changed are read again; a file that cannot be read has no key.
    private func current() -> [Key] {
        state.withLock { state in
            let stamps = [main.stamp, named.stamp]
            guard stamps != state.stamps else { return state.keys }
            state = State(stamps: stamps)
            // A file that cannot be read has no key.
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
