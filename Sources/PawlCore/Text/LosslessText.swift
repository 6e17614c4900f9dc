/// Text that contains any bytes, from which the same bytes can be restored.
///
/// Bytes that are not UTF-8 are represented by the last 128 scalars of Unicode, which are private
/// and without a meaning. Where these occur in the bytes, they are represented in the same way.
package enum LosslessText {
    /// The scalar of the byte 0.
    private static let base: UInt32 = 0x10_FF00
    private static let escapes: ClosedRange<UInt32> = 0x10_FF80...0x10_FFFF

    /// Returns the text of some bytes.
    package static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !text.hasEscapes { return text }
        var text = String.UnicodeScalarView()
        var rest = bytes[...]
        while !rest.isEmpty {
            let (scalar, length) = first(of: rest)
            text.append(scalar)
            rest = rest.dropFirst(length)
        }
        return String(text)
    }

    /// Returns the bytes of a text.
    package static func bytes(of text: String) -> [UInt8] {
        guard text.hasEscapes else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            escapes.contains(scalar.value)
                ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(UTF8.encode(scalar) ?? .init())
        }
    }

    /// Returns the first scalar, and the number of its bytes.
    private static func first(of bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, length: Int) {
        for length in 1...4 where length <= bytes.count {
            guard let text = String(validating: bytes.prefix(length), as: UTF8.self),
                let scalar = text.unicodeScalars.first
            else { continue }
            if !escapes.contains(scalar.value) { return (scalar, length) }
        }
        let byte = bytes.first ?? 0
        return (Unicode.Scalar(base + UInt32(byte)) ?? Unicode.Scalar(byte), 1)
    }

    fileprivate static func isEscape(_ scalar: Unicode.Scalar) -> Bool {
        escapes.contains(scalar.value)
    }
}

extension String {
    fileprivate var hasEscapes: Bool { unicodeScalars.contains(where: LosslessText.isEscape) }
}
