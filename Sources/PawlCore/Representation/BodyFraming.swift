/// What a head says of its body's length (RFC 9112 §6).
///
/// Two lengths that differ, or a length beside `Transfer-Encoding`, are how responses are smuggled
/// past a proxy: such a head is refused, not repaired.
package enum BodyFraming: Hashable, Sendable {
    /// The length, nil where the body ends by its last chunk or by the connection's end.
    case sound(length: Int64?)
    case malformed(String)

    package init(of head: ResponseHead) {
        let fields = head.values("Content-Length")
        guard !fields.isEmpty else {
            self = .sound(length: nil)
            return
        }
        guard head["Transfer-Encoding"] == nil else {
            self = .malformed("the server sent both Content-Length and Transfer-Encoding")
            return
        }
        self = Self.agreed(fields.flatMap(\.listMembers))
    }

    /// The one length that all of them name: identical duplicates are one (RFC 9110 §8.6).
    private static func agreed(_ texts: [String]) -> BodyFraming {
        var length: Int64?
        for text in texts {
            if let fault = fault(of: text) { return .malformed(fault) }
            guard let value = Int64(text) else { continue }
            if let length, length != value {
                return .malformed("the server sent two different lengths, \(length) and \(value)")
            }
            length = value
        }
        return .sound(length: length)
    }

    private static func fault(of text: String) -> String? {
        let isNumber = text.isAllDigits
        if isNumber, Int64(text) != nil { return nil }
        let shown = text.sanitized(atMost: 40)
        guard !isNumber else { return "the server sent the length \(shown), over 2^63-1" }
        let isNegative = text.hasPrefix("-") && text.dropFirst().isAllDigits
        return isNegative
            ? "the server sent the negative length \(shown)"
            : "the server sent the length '\(shown)', which is not a number"
    }
}
