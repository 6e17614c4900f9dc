/// Parses the parameters of a `Content-Type` field (RFC 9110 §8.3.1).
package enum MediaTypeParameter {
    /// Returns the value of the first parameter of that name without quotes; `nil` if there is
    /// none.
    package static func value(_ name: String, in field: String) -> String? {
        var scanner = FieldScanner(field)
        _ = scanner.take { $0 != UInt8(ascii: ";") }
        while scanner.skip(";") {
            scanner.skipWhitespace()
            let seen = scanner.take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            guard scanner.skip("=") else { continue }
            scanner.skipWhitespace()
            let value =
                scanner.quotedString() ?? scanner.take { $0 != UInt8(ascii: ";") }.trimmed
            _ = scanner.take { $0 != UInt8(ascii: ";") }
            if seen.trimmed.lowercased() == name { return value }
        }
        return nil
    }
}
