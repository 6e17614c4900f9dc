/// Who added a download, or registered a session.
package enum DownloadOwner: Sendable, Hashable {
    /// The user, at the Unix socket.
    case user
    /// The daemon's page.
    case page
    /// A program with the token of that name.
    case token(String)

    /// The owner of what programs added before owners were recorded.
    package static let unnamedProgram = DownloadOwner.token(TokenName.main)

    /// `user`, `page`, or `token:` and the token's name.
    package var text: String {
        switch self {
        case .user: "user"
        case .page: "page"
        case .token(let name): "\(Self.tokenPrefix)\(name)"
        }
    }

    /// Nil for what is none.
    package init?(_ text: String) {
        switch text {
        case "user": self = .user
        case "page": self = .page
        default:
            guard text.hasPrefix(Self.tokenPrefix) else { return nil }
            self = .token(String(text.dropFirst(Self.tokenPrefix.utf8.count)))
        }
    }

    private static let tokenPrefix = "token:"
}

extension DownloadOwner: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        // An owner that a newer daemon knows is no reason to show nothing: it is nobody of ours.
        self = DownloadOwner(text) ?? .token(text)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
