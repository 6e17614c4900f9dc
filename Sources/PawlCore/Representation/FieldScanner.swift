/// Reads the parts of a field's value one after another (RFC 9110 §5.6).
package struct FieldScanner: Sendable {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    package var isAtEnd: Bool { position >= bytes.count }

    package var next: UInt8? { isAtEnd ? nil : bytes[position] }

    package mutating func take(while isWanted: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, isWanted(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    @discardableResult
    package mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == scalar.value else { return false }
        position += 1
        return true
    }

    @discardableResult
    package mutating func skipWhitespace() -> Bool {
        let start = position
        while let next, next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { position += 1 }
        return position > start
    }

    package mutating func letters() -> String { take(while: \.isLetter) }

    /// Reads digits; `nil` if there are none or the number is over 2^63-1.
    package mutating func number() -> Int64? {
        let start = position
        var number: Int64? = 0
        while let next, next.isDigit {
            position += 1
            number = number.flatMap { $0.appending(digit: next - UInt8(ascii: "0")) }
        }
        return position > start ? number : nil
    }

    /// Reads a quoted string; `nil` if the next character is not a quote.
    ///
    /// Only `\"` and `\\` are escapes, because servers send Windows paths with plain backslashes. A
    /// missing closing quote is tolerated.
    package mutating func quotedString() -> String? {
        guard skip("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            position += 1
            if byte == UInt8(ascii: "\\"), let escaped = next, escaped.isEscapable {
                content.append(escaped)
                position += 1
            } else {
                content.append(byte)
            }
        }
        skip("\"")
        return String(decoding: content, as: UTF8.self)
    }
}

extension UInt8 {
    package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    package var isLetter: Bool {
        let lower = self | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }

    /// The byte with a capital letter of ASCII replaced by the small one.
    package var lowercasedASCII: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    fileprivate var isEscapable: Bool {
        self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
    }
}

extension Int64 {
    /// Returns `nil` if the result is over 2^63-1.
    fileprivate func appending(digit: UInt8) -> Int64? {
        let (tens, overflow) = multipliedReportingOverflow(by: 10)
        let (sum, overflowed) = tens.addingReportingOverflow(Int64(digit))
        return overflow || overflowed ? nil : sum
    }
}

extension Unicode.Scalar {
    /// Whether this is a visible ASCII character.
    fileprivate var isVisible: Bool { (0x21...0x7E).contains(value) }
}

extension String {
    /// The members of a list without surrounding white space (RFC 9110 §5.6.1).
    package var listMembers: [String] {
        pieces(at: ",").map(\.trimmed)
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    package var trimmed: String {
        let scalars = unicodeScalars
        if let first = scalars.first, let last = scalars.last, first.isVisible, last.isVisible {
            return String(self)
        }
        guard
            let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(String.UnicodeScalarView(scalars[first...last]))
    }

    /// Whether there is at least one digit and nothing else.
    package var isAllDigits: Bool { !isEmpty && utf8.allSatisfy(\.isDigit) }
}
