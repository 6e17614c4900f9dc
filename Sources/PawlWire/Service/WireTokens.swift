package import PawlCore

/// A token without the secret itself.
package struct WireToken: Codable, Sendable, Hashable {
    package var name: String
    package var scope: TokenScope

    package init(name: String, scope: TokenScope) { (self.name, self.scope) = (name, scope) }
}

/// The tokens of a daemon, first the main token, then the others in the order of their creation.
package struct WireTokens: Codable, Sendable, Hashable {
    package var tokens: [WireToken]

    package init(_ tokens: [WireToken]) { self.tokens = tokens }
}

/// A request for a new token, or for the main token.
package struct NewToken: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case name, scope, replaces
    }

    package static let knownMembers = KnownMembers(CodingKeys.self)

    /// The name of the new token; `main` for the main token, which exists already.
    package var name: String
    /// The rights of the new token; `nil` for the main token.
    package var scope: TokenScope?
    /// Whether a new main token replaces the existing one.
    package var replaces: Bool?

    package init(name: String, scope: TokenScope? = nil, replaces: Bool? = nil) {
        (self.name, self.scope, self.replaces) = (name, scope, replaces)
    }

    /// Throws `.usage` if the members do not fit together.
    package func check() throws(DownloadError) {
        let isMain = name == TokenName.main
        guard isMain == (scope == nil), isMain || replaces == nil else {
            throw .usage(
                isMain
                    ? "the token '\(TokenName.main)' has no 'scope'"
                    : "a token needs 'scope', and only '\(TokenName.main)' has 'replaces'",
                advice: "see /openapi.yaml, or docs/http-api.md"
            )
        }
    }
}

/// The response to a request for a token.
package struct WireSecret: Codable, Sendable, Hashable {
    package var token: String

    package init(token: String) { self.token = token }
}
