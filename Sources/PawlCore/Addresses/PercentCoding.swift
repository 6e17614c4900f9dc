extension StringProtocol {
    /// The bytes with each `%XX` decoded once; a `%` without two digits stays as it is.
    package var percentDecodedBytes: [UInt8] {
        percentDecodedBytes(marker: UInt8(ascii: "%"))
    }

    /// Whether two digits follow each `%`.
    package var hasSoundPercentCoding: Bool {
        let bytes = Array(utf8)
        return bytes.indices.allSatisfy { index in
            bytes[index] != UInt8(ascii: "%") || bytes.hexadecimalByte(at: index + 1) != nil
        }
    }

    /// The decoded text.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    package var percentDecoded: String {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        return String(decoding: percentDecodedBytes, as: UTF8.self)
    }

    package func percentDecodedBytes(marker: UInt8) -> [UInt8] {
        guard utf8.contains(marker) else { return Array(utf8) }
        let bytes = Array(utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == marker, let byte = bytes.hexadecimalByte(at: index + 1) {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// The text as all of its equivalent encodings give it (RFC 3986 §6.2.2): unreserved characters
    /// are decoded, and the digits of other encodings are capital.
    package var normalizedPercentCoding: String {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        let bytes = Array(utf8)
        var normalized: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), let byte = bytes.hexadecimalByte(at: index + 1) {
                if byte.isUnreserved {
                    normalized.append(byte)
                } else {
                    normalized += byte.percentEncoded
                }
                index += 3
            } else {
                normalized.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: normalized, as: UTF8.self)
    }

    /// The text with characters that are illegal in a URL percent-encoded; existing encodings stay.
    ///
    /// Spaces, raw UTF-8, control characters, and a `%` without two digits are encoded.
    package var encodingIllegalURLBytes: String {
        guard !utf8.allSatisfy(\.isLegalInURL) else { return String(self) }
        let bytes = Array(utf8)
        var encoded: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isEscape = byte == UInt8(ascii: "%") && bytes.hexadecimalByte(at: index + 1) != nil
            if isEscape || byte.isLegalInURL {
                encoded.append(byte)
            } else {
                encoded += byte.percentEncoded
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension Sequence<UInt8> {
    /// The bytes with all but the unreserved characters percent-encoded (RFC 3986 §2.3).
    ///
    /// - Parameters:
    ///   - others: Characters that stay as they are, too.
    package func percentEncoded(except others: String = "") -> String {
        var encoded: [UInt8] = []
        for byte in self {
            if byte.isUnreserved || others.utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += byte.percentEncoded
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether the byte is an unreserved or reserved character (RFC 3986 §2.2, §2.3).
    ///
    /// Brackets are excluded: they belong only in hosts.
    fileprivate var isLegalInURL: Bool {
        switch self {
        // These are the characters from `#` to `;` except `%`, and some single ones.
        case 0x23, 0x24, 0x26...0x3B, UInt8(ascii: "!"), UInt8(ascii: "="), UInt8(ascii: "?"),
            UInt8(ascii: "@"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: isLetter
        }
    }

    fileprivate var isUnreserved: Bool { isLetter || isDigit || "-._~".utf8.contains(self) }

    fileprivate var percentEncoded: [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(self >> 4)], digits[Int(self & 15)]]
    }
}
