internal import PawlCore
package import PawlWire

/// The authority of a request (docs/security.md).
package enum Authority: Sendable, Hashable {
    /// The user, at the Unix socket.
    case user
    /// The daemon's page after a login with a code from the socket.
    case page
    /// A program, or a page that has logged in, with the token of that name.
    case token(String, TokenScope)
    /// A client over TCP without a token or a cookie.
    case nobody

    /// The owner of what is added with this authority; `nil` if nothing may be added.
    package var owner: DownloadOwner? {
        switch self {
        case .user: .user
        case .page: .page
        case .token(let name, _): .token(name)
        case .nobody: nil
        }
    }

    /// The text for refusals.
    var shown: String {
        switch self {
        case .user: "the user"
        case .page: "the page"
        case .token(TokenName.main, _): "a program with the token"
        case .token(let name, let scope):
            "the token '\(name.sanitized)', whose scope is \(scope.rawValue),"
        case .nobody: "a request without a token"
        }
    }
}

extension DownloadOwner {
    /// The text for refusals.
    var shown: String {
        switch self {
        case .user: "the user, who added it at the socket"
        case .page: "the page"
        case .token(TokenName.main): "a program with the token"
        case .token(let name): "the token '\(name.sanitized)'"
        }
    }
}
