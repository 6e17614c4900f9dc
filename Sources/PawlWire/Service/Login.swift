/// With what a browser asks for its cookie: one of both.
package struct Login: Codable, Sendable, Hashable {
    /// Good once, for ten minutes.
    package var code: String?
    package var token: String?

    package init(code: String? = nil, token: String? = nil) {
        (self.code, self.token) = (code, token)
    }
}

/// A code that a browser may log in with.
package struct LoginCode: Codable, Sendable, Hashable {
    package var code: String
    /// What to open: the page takes the code out of it.
    package var url: String

    package init(code: String, url: String) { (self.code, self.url) = (code, url) }
}
