/// The delay that a server requests (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The maximum, about 285 years: what fits in nanoseconds.
    private static let longest: Int64 = 9_000_000_000

    /// Returns the longest delay that the head's fields request; `nil` if there is none.
    package static func parse(_ head: ResponseHead) -> Duration? {
        head.values("Retry-After").compactMap { parse($0, date: head["Date"]) }.max()
    }

    /// Parses seconds, or the time from the response's own `Date` to the named date, because clocks
    /// may differ.
    ///
    /// A time in the past gives zero; an invalid text gives `nil`.
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
