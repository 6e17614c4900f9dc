internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The tokens and cookies that authenticate requests, according to the current content of the
/// user's files and of the database that several daemons share, if there is one.
final class AccessKeys: Sendable {
    /// The cookie's name.
    static let cookie = "pawl"

    private struct State {
        var stamps: [ChangeStamp?] = []
        var keys: [AccessKey] = []
    }

    private let main: AccessTokenFile
    private let named: NamedTokenFile
    /// The keys in the database; `nil` if the main token is in the user's file.
    private let shared: SharedTokens?
    /// The keys that are in no file.
    private let others: [AccessKey]
    private let state = Mutex(State())

    /// Creates the file of the main token if it does not exist.
    ///
    /// `shared`: the tokens in a database. `secret`: another secret with the rights of the main
    /// token.
    init(
        _ main: AccessTokenFile,
        _ named: NamedTokenFile,
        shared: SharedTokens? = nil,
        secret: String? = nil
    ) throws(DownloadError) {
        (self.main, self.named, self.shared) = (main, named, shared)
        others = secret.map { [AccessKey(secret: $0)] } ?? []
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
        let given = GivenSecret(token, hasDigest: shared != nil)
        return current().first { $0.matches(given, isCookie: false) }?.cookie(forToken: token)
    }

    /// Compares with each key, so that the time reveals nothing about the keys.
    private func authority(of secret: Substring, isCookie: Bool) -> Authority? {
        let given = GivenSecret(String(secret), hasDigest: shared != nil)
        var found: Authority?
        for key in current() where key.matches(given, isCookie: isCookie) { found = key.authority }
        return found
    }

    /// Returns the value of `pawl=…`.
    private static func value(_ cookie: Substring) -> Substring? {
        let cookie = cookie.drop { $0 == " " }
        guard cookie.hasPrefix("\(Self.cookie)=") else { return nil }
        return cookie.dropFirst(Self.cookie.utf8.count + 1)
    }

    /// Returns the keys; reads the files again if they have changed.
    private func current() -> [AccessKey] {
        let own = state.withLock { state in
            let stamps = [shared == nil ? main.stamp : nil, named.stamp]
            guard stamps != state.stamps else { return state.keys }
            state = State(stamps: stamps, keys: others)
            // A file that cannot be read gives no key.
            if stamps[0] != nil, let keys = try? main.keys() {
                state.keys.append(AccessKey(page: keys.cookie))
                state.keys.append(AccessKey(TokenName.main, .manage, token: keys.token))
            }
            for entry in (try? named.entries()) ?? [] {
                state.keys.append(AccessKey(entry.name, entry.scope, token: entry.token))
            }
            return state.keys
        }
        return own + (shared?.keys ?? [])
    }
}
