/// A part of a file, in bytes.
public struct FileRange: Hashable, Sendable {
    /// The offset of the first byte.
    public var start: Int64
    /// The offset after the last byte; `nil` for the end of the file.
    public var end: Int64?

    /// Creates a part; `end` is after its last byte.
    public init(from start: Int64, to end: Int64? = nil) {
        self.start = start
        self.end = end
    }

    /// The part as HTTP writes it, with an inclusive end (RFC 9110 §14.1.2).
    package var text: String { "\(start)-" + (end.map { "\($0 - 1)" } ?? "") }

    package var byteRange: ByteRange { ByteRange(start, end ?? .max) }
}

extension SettingForm where Value == FileRange {
    /// `100-199` or `100-`.
    static let range = SettingForm(
        schema: ["type": "string", "pattern": "^[0-9]+-[0-9]*$"],
        valueName: "first-last",
        parse: { (text) throws(ValueError) in try parsed(text) },
        decode: { (value) throws(ValueError) in
            guard case .text(let text) = value else {
                throw ValueError("'\(value.brief)' is not a range", advice: advice)
            }
            return try parsed(text)
        },
        encode: { .text($0.text) }
    )

    private static let advice: Advice = "write first-last, such as 0-999, or first-"

    private static func parsed(_ text: String) throws(ValueError) -> FileRange {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = offset(parts[0]) else {
            throw ValueError("'\(text.sanitized(atMost: 60))' is not a range", advice: advice)
        }
        guard !parts[1].isEmpty else { return FileRange(from: start) }
        guard let last = offset(parts[1]), last >= start, last < .max else {
            throw ValueError("'\(text.sanitized(atMost: 60))' is not a range", advice: advice)
        }
        return FileRange(from: start, to: last + 1)
    }

    private static func offset(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy(\.isDigit) ? Int64(digits) : nil
    }
}
