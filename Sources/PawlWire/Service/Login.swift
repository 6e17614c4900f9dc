package import PawlCore

/// What a browser exchanges for its cookie: either a code or a token.
package struct Login: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case code, token
    }

    package static let knownMembers = KnownMembers(CodingKeys.self)

    /// A code that can be used once, within ten minutes.
    package var code: String?
    package var token: String?

    package init(code: String? = nil, token: String? = nil) {
        (self.code, self.token) = (code, token)
    }
}

/// A code with which a browser can log in.
package struct LoginCode: Codable, Sendable, Hashable {
    package var code: String
    /// The URL to open.
    ///
    /// The page takes the code from it.
    package var url: String

    package init(code: String, url: String) { (self.code, self.url) = (code, url) }
}
