/// How long a server asks to be left alone (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// Some 285 years: what fits in nanoseconds.
    private static let longest: Int64 = 9_000_000_000

    /// The longest wait that the head's fields ask for; nil where none does.
    package static func parse(_ head: ResponseHead) -> Duration? {
        head.values("Retry-After").compactMap { parse($0, date: head["Date"]) }.max()
    }

    /// Seconds, or the time from the response's own `Date` to the one named: clocks may differ.
    ///
    /// What lies in the past is zero; what makes no sense is nil.
    package static func parse(_ text: String, date: String?) -> Duration? {
        let text = text.trimmed
        if text.isAllDigits {
            return .seconds(min(Int64(text) ?? longest, longest))
        }
        if text.hasPrefix("-"), text.dropFirst().isAllDigits { return .zero }
        guard let date, let now = HTTPDate(parsing: date), let then = HTTPDate(parsing: text)
        else { return nil }
        return .seconds(max(0, then.secondsSince1970 - now.secondsSince1970))
    }
}
