internal import PawlCore
package import PawlWire

/// The authority of a request (docs/security.md).
package enum Authority: Sendable, Hashable {
    /// The user, at the Unix socket.
    case user
    /// The daemon's page, after a login with a code from the socket.
    case page
    /// A program with the token of this name, or a page after a login with it.
    case token(String, TokenScope)
    /// A client over TCP without a token or a cookie.
    case nobody

    /// The owner of the downloads that it adds; `nil` if it cannot add any.
    package var owner: DownloadOwner? {
        switch self {
        case .user: .user
        case .page: .page
        case .token(let name, _): .token(name)
        case .nobody: nil
        }
    }

    /// The removals that it can undo.
    package var undoableRemovals: UndoableRemovals {
        switch self {
        case .user: .all
        case .page, .token, .nobody: owner.map { .of($0) } ?? .nothing
        }
    }

    /// The authority in the text of a refusal.
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
    /// The owner in the text of a refusal.
    var shown: String {
        switch self {
        case .user: "the user, who added it at the socket"
        case .page: "the page"
        case .token(TokenName.main): "a program with the token"
        case .token(let name): "the token '\(name.sanitized)'"
        }
    }
}
