/// What a program with a token may do (docs/security.md).
package enum TokenScope: String, Codable, Sendable, CaseIterable {
    /// Look at the queue.
    case read
    /// Look, add downloads, and change what was added with the same token.
    case add
    /// Do all that may be done over TCP.
    case manage
}

/// What a token may be called.
package enum TokenName {
    /// The token that `pawl daemon token` shows, which always exists; its scope is `manage`.
    package static let main = "main"

    private static let most = 40

    package static func isOne(_ name: String) -> Bool {
        (1...most).contains(name.utf8.count) && name != main
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.".utf8.contains(byte)
                }
            }
    }
}
