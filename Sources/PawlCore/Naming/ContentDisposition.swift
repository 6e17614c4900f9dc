/// The file name in a `Content-Disposition` field (RFC 6266).
///
/// The usual faults are tolerated: a missing type, names without quotes, missing closing quotes,
/// extra semicolons, mail's encoded words.
package struct ContentDisposition: Hashable, Sendable {
    /// The name as sent, which must not be trusted; see `FileName.clean`.
    package private(set) var fileName: String?

    package init(parsing text: String) {
        var plain: String?
        var extended: String?
        var scanner = FieldScanner(text)
        while !scanner.isAtEnd {
            guard let (name, value) = Self.parameter(&scanner) else { continue }
            switch name {
            case "filename": plain = plain ?? EncodedWord.decodeAll(value)
            case "filename*": extended = extended ?? Self.extendedValue(value)
            default: break
            }
        }
        fileName = extended ?? plain
    }

    /// Returns the parameter up to the next semicolon; `nil` for a part without a value, such as
    /// the type.
    private static func parameter(
        _ scanner: inout FieldScanner
    ) -> (name: String, value: String)? {
        let name = scanner.take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        guard scanner.skip("=") else {
            scanner.skip(";")
            return nil
        }
        scanner.skipWhitespace()
        let quoted = scanner.quotedString()
        let rest = scanner.take { $0 != UInt8(ascii: ";") }
        scanner.skip(";")
        // The last word is used because the semicolon after the type is missing at times.
        let word = name.trimmed.split(separator: " ").last.map { $0.lowercased() } ?? ""
        return (word, quoted ?? rest.trimmed)
    }

    /// Decodes `UTF-8'en'na%C3%AFve.txt` (RFC 8187 §3.2); `nil` for an unknown charset.
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return String(parts[2].percentDecodedBytes, charset: String(parts[0]))
    }
}

extension String {
    /// Decodes text in one of the charsets that RFC 8187 and old servers use; `nil` for any other.
    init?(_ bytes: [UInt8], charset: String) {
        switch charset.trimmed.lowercased() {
        case "utf-8", "utf8", "us-ascii": self = String(decoding: bytes, as: UTF8.self)
        case "iso-8859-1", "latin1":
            self = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
