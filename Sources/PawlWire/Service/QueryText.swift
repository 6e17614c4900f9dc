package import PawlCore

/// Parses the query of a URL into names and values.
///
/// A `+` is a space, as forms and most clients write it (WHATWG URL §5.1); a plus sign is `%2B`.
package enum QueryText {
    /// Returns the parameters.
    ///
    /// Throws `.usage` if the encoding is not valid.
    package static func parameters(
        _ text: String
    ) throws(DownloadError) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        for part in text.split(separator: "&") {
            let sign = part.firstIndex(of: "=") ?? part.endIndex
            parameters.append(
                (name: try decoded(part[..<sign]), value: try decoded(part[sign...].dropFirst()))
            )
        }
        return parameters
    }

    /// Parses the value of a parameter as a number.
    package static func number<Number: BinaryInteger>(
        _ name: String,
        _ text: String,
        in range: ClosedRange<Int64>
    ) throws(DownloadError) -> Number {
        guard let number = Int64(text), range.contains(number) else {
            throw .usage(
                "'\(name)' is '\(text.sanitized(atMost: 40))'",
                advice: "give a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return Number(number)
    }

    private static func decoded(_ text: Substring) throws(DownloadError) -> String {
        let spaced = text.replacing("+", with: " ")
        guard spaced.hasSoundPercentCoding,
            let decoded = String(validating: spaced.percentDecodedBytes, as: UTF8.self)
        else {
            throw .usage(
                "'\(String(text).sanitized(atMost: 40))' is not percent-encoded UTF-8",
                advice: "encode '%' as %25, and other bytes as %XX"
            )
        }
        // SQLite and the kernel would end the text there.
        guard !decoded.utf8.contains(0) else {
            throw DownloadError(
                .usage,
                "'\(String(text).sanitized(atMost: 40))' contains U+0000",
                advice: "leave it out"
            )
        }
        return decoded
    }
}
