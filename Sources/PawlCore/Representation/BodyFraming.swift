/// The length of a body according to its head (RFC 9112 §6).
///
/// Two different lengths, or a length beside `Transfer-Encoding`, can be used to smuggle responses
/// past a proxy. Such a head is refused, not repaired.
package enum BodyFraming: Hashable, Sendable {
    /// The length; `nil` if the body ends with its last chunk or with the connection.
    case sound(length: Int64?)
    case malformed(String)

    package init(of head: ResponseHead) { self.init(of: head.fields) }

    package init(of fields: [HTTPField]) {
        let lengths = fields.values("Content-Length")
        guard !lengths.isEmpty else {
            self = .sound(length: nil)
            return
        }
        guard fields.value("Transfer-Encoding") == nil else {
            self = .malformed("the server sent both Content-Length and Transfer-Encoding")
            return
        }
        self = Self.agreed(lengths.flatMap(\.listMembers))
    }

    /// Returns the length on which all values agree; identical duplicates are allowed (RFC 9110
    /// §8.6).
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

extension BodyFraming {
    /// Whether a body with these fields in its head is known to be too short if it was cut off.
    ///
    /// HTTP/2 and later frame every body.
    package static func isVerified(_ fields: [HTTPField], _ protocolVersion: String) -> Bool {
        !protocolVersion.hasPrefix("HTTP/1") || fields.value("Content-Length") != nil
            || fields.value("Transfer-Encoding") != nil
    }
}
