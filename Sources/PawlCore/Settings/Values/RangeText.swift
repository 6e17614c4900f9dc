extension SettingForm where Value == FileRange {
    /// `100-199`, `100-`, or `-100` for the last bytes.
    static let range = SettingForm(
        schema: ["type": "string", "pattern": "^([0-9]+-[0-9]*|-[0-9]+)$"],
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

    private static let advice: Advice =
        "write first-last, such as 0-999, first-, or -500 for the last 500 bytes"

    private static func parsed(_ text: String) throws(ValueError) -> FileRange {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0].isEmpty, let count = offset(parts[1]), count > 0 {
            return FileRange(last: count)
        }
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
