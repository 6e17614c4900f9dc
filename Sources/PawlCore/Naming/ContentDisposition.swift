/// What a `Content-Disposition` field says of the file's name (RFC 6266), with the field's usual
/// faults borne: a missing type, names without quotes, quotes without end, stray semicolons,
/// mail's encoded words.
package struct ContentDisposition: Hashable, Sendable {
    /// As sent and not to be trusted; see `FileName.clean`.
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

    /// Up to the next semicolon; nil for what has no value, as the type.
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
        // The last word: the semicolon behind the type is missing at times.
        let word = name.trimmed.split(separator: " ").last.map { $0.lowercased() } ?? ""
        return (word, quoted ?? rest.trimmed)
    }

    /// `UTF-8'en'na%C3%AFve.txt` (RFC 8187 §3.2); nil where the charset is none that we read.
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return String(parts[2].percentDecodedBytes, charset: String(parts[0]))
    }
}

extension String {
    /// Text in one of the charsets that RFC 8187 and old servers use; nil for any other.
    init?(_ bytes: [UInt8], charset: String) {
        switch charset.trimmed.lowercased() {
        case "utf-8", "utf8", "us-ascii": self = String(decoding: bytes, as: UTF8.self)
        case "iso-8859-1", "latin1":
            self = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
