internal import Pawl
internal import PawlWire

/// A token, and the cookie that a browser gets for it.
struct AccessKey: Sendable {
    let authority: Authority
    private let token: SecretText?
    private let cookie: SecretText?
    /// The cookie itself; `nil` if it is not known, or if there is none.
    let cookieText: String?
    /// Whether only the digests of the token and the cookie are known.
    let isDigest: Bool

    /// Creates the key of the page, which has a cookie only.
    init(page cookie: String) {
        (authority, token, self.cookie) = (.page, nil, SecretText(cookie))
        (cookieText, isDigest) = (cookie, false)
    }

    /// Creates the key of a token.
    init(_ name: String, _ scope: TokenScope, token: String) {
        let cookie = AccessTokenFile.cookie(forToken: token)
        (authority, self.token) = (.token(name, scope), SecretText(token))
        (self.cookie, cookieText) = (cookie.map { SecretText($0) }, cookie)
        isDigest = false
    }

    /// Creates the key of a secret with the rights of the main token, which no browser can use.
    init(secret: String) {
        (authority, token) = (.token(TokenName.main, .manage), SecretText(secret))
        (cookie, cookieText, isDigest) = (nil, nil, false)
    }

    /// Creates the key of a token whose digests are stored.
    init(_ row: TokenTable.Row) {
        authority = .token(row.name, row.scope)
        token = SecretText(RandomText.text(of: row.digest))
        cookie = SecretText(RandomText.text(of: row.cookieDigest))
        (cookieText, isDigest) = (nil, true)
    }

    /// Whether a token or a cookie that a client has sent is the one of this key.
    func matches(_ given: GivenSecret, isCookie: Bool) -> Bool {
        let own = isCookie ? cookie : token
        guard let text = isDigest ? given.digest : given.text else { return false }
        return own?.matches(text) == true
    }

    /// Returns the cookie that a browser gets for this token; `nil` if there is none.
    func cookie(forToken token: String) -> String? {
        isDigest ? AccessTokenFile.cookie(forToken: token) : cookieText
    }
}

/// A token or a cookie that a client has sent.
struct GivenSecret {
    let text: String
    /// The digest as text; `nil` if this system cannot compute it, or if no key needs it.
    let digest: String?

    init(_ text: String, hasDigest: Bool) {
        self.text = text
        digest =
            hasDigest
            ? AccessTokenFile.digest(ofSecret: text).map { RandomText.text(of: $0) } : nil
    }
}
