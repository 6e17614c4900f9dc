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
        if parts.count == 2, parts[0].isEmpty, offset(parts[1]) != nil {
            throw ValueError(
                "'\(text.sanitized(atMost: 60))' counts from the end of the file, which is not supported",
                advice: advice
            )
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
