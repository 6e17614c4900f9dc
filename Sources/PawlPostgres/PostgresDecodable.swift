/// A type whose values a column of a result can have.
package protocol PostgresDecodable {
    /// Reads the value in text format; `nil` is NULL.
    ///
    /// Returns `nil` if the text is not a value of the type.
    static func decode(_ text: UnsafeRawBufferPointer?) -> Self?
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    package static func decode(_ text: UnsafeRawBufferPointer?) -> Wrapped?? {
        guard let text else { return .some(nil) }
        return Wrapped.decode(text).map(Optional.some)
    }
}

extension String: PostgresDecodable {
    package static func decode(_ text: UnsafeRawBufferPointer?) -> String? {
        text.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension FixedWidthInteger where Self: PostgresDecodable {
    package static func decode(_ text: UnsafeRawBufferPointer?) -> Self? {
        String.decode(text).flatMap { Self($0) }
    }
}

extension Int: PostgresDecodable {}
extension Int32: PostgresDecodable {}
extension Int64: PostgresDecodable {}
extension UInt64: PostgresDecodable {}

extension Double: PostgresDecodable {
    package static func decode(_ text: UnsafeRawBufferPointer?) -> Double? {
        // Swift also reads "Infinity", "-Infinity" and "NaN".
        String.decode(text).flatMap { Double($0) }
    }
}

extension Bool: PostgresDecodable {
    package static func decode(_ text: UnsafeRawBufferPointer?) -> Bool? {
        guard let text, text.count == 1 else { return nil }
        switch text[0] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: return nil
        }
    }
}

extension [UInt8]: PostgresDecodable {
    /// Reads the hexadecimal form of `bytea`, such as `\x00ff`.
    package static func decode(_ text: UnsafeRawBufferPointer?) -> [UInt8]? {
        guard let text, text.count >= 2, text.count.isMultiple(of: 2),
            text[0] == UInt8(ascii: "\\"), text[1] == UInt8(ascii: "x")
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2 - 1)
        for index in stride(from: 2, to: text.count, by: 2) {
            guard let high = digit(text[index]), let low = digit(text[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
