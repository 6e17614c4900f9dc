internal import PawlCore

/// The rights of a program that has a token (docs/security.md).
package enum TokenScope: String, Codable, Sendable, CaseIterable {
    /// Read the queue.
    case read
    /// Read, add downloads, and change those that were added with the same token.
    case add
    /// Do everything that is allowed over TCP.
    case manage
}

/// The names of tokens.
package enum TokenName {
    /// The token that `pawl daemon token` shows, which always exists; its scope is `manage`.
    package static let main = "main"

    private static let most = 40

    package static func isOne(_ name: String) -> Bool {
        (1...most).contains(name.utf8.count) && name != main
            && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_.".utf8.contains($0) }
    }
}
