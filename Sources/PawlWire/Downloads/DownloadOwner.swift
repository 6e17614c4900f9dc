/// The origin of a download or a session: who added or registered it.
package enum DownloadOwner: Sendable, Hashable {
    /// The user, at the Unix socket.
    case user
    /// The daemon's page.
    case page
    /// A program that has the token of that name.
    case token(String)

    /// The owner of downloads that programs added before owners were recorded.
    package static let unnamedProgram = DownloadOwner.token(TokenName.main)

    package var isProgram: Bool {
        switch self {
        case .user, .page: false
        case .token: true
        }
    }

    /// The owner as text: `user`, `page`, or `token:` and the token's name.
    package var text: String {
        switch self {
        case .user: "user"
        case .page: "page"
        case .token(let name): "\(Self.tokenPrefix)\(name)"
        }
    }

    /// Creates an owner from its text.
    ///
    /// Returns `nil` if the text is not valid.
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
        // A newer daemon may name an owner that is not known here. It counts as a foreign token, so
        // that the list can still be shown.
        self = DownloadOwner(text) ?? .token(text)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
