internal import PawlCore

/// Parses dates of feeds: RFC 822 with the years of RFC 2822 (`pubDate`), and RFC 3339 (Atom).
package enum FeedDate {
    /// The hours by which zones are ahead of UTC.
    private static let zones: [String: Int64] = [
        "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
    ]

    /// Returns the seconds since 1970; `nil` if the text is not a date.
    package static func seconds(_ text: String) -> Int64? {
        var scanner = FieldScanner(text.trimmed)
        if scanner.next?.isLetter == true {
            // The name of the day is often wrong, or in another language.
            _ = scanner.letters()
            guard scanner.skip(",") else { return nil }
            scanner.skipWhitespace()
        }
        guard let first = scanner.number() else { return nil }
        return scanner.skip("-") ? year(first, &scanner) : day(first, &scanner)
    }

    /// Parses `Nov 2026 08:49:37 +0100` after the day.
    private static func day(_ day: Int64, _ scanner: inout FieldScanner) -> Int64? {
        scanner.skipWhitespace()
        // The name may be written in full.
        guard let month = MonthName.number(scanner.letters().prefix(3)) else { return nil }
        scanner.skipWhitespace()
        guard var year = scanner.number() else { return nil }
        // RFC 2822 §4.3.
        if year < 50 { year += 2000 } else if year < 1000 { year += 1900 }
        scanner.skipWhitespace()
        guard let days = days(year, month, day), let clock = clock(&scanner) else {
            return nil
        }
        scanner.skipWhitespace()
        return days * 86_400 + clock - zone(&scanner)
    }

    /// Parses `11-29T08:49:37.5+01:00` after the year; a date without a time is accepted (W3C-DTF).
    private static func year(_ year: Int64, _ scanner: inout FieldScanner) -> Int64? {
        guard let month = scanner.number(), scanner.skip("-"), let day = scanner.number(),
            let days = days(year, month, day)
        else { return nil }
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" ") else {
            return days * 86_400
        }
        guard let clock = clock(&scanner) else { return nil }
        if scanner.skip(".") { _ = scanner.number() }
        return days * 86_400 + clock - zone(&scanner)
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
        guard (1...9999).contains(year) else { return nil }
        return CalendarDay(year: year, month: month, day: day)?.daysSince1970
    }

    private static func clock(_ scanner: inout FieldScanner) -> Int64? {
        guard let hour = scanner.number(), scanner.skip(":"), let minute = scanner.number(),
            (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        guard scanner.skip(":") else { return hour * 3600 + minute * 60 }
        guard let second = scanner.number(), (0...60).contains(second) else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// Returns the seconds by which the zone is ahead of UTC; 0 for an unknown one (RFC 2822 §4.3).
    private static func zone(_ scanner: inout FieldScanner) -> Int64 {
        let isBehind = scanner.skip("-")
        guard isBehind || scanner.skip("+") else {
            return (zones[scanner.letters().lowercased()] ?? 0) * 3600
        }
        guard let number = scanner.number(), number < 10_000 else { return 0 }
        let (hours, minutes) =
            scanner.skip(":") ? (number, scanner.number() ?? 0) : (number / 100, number % 100)
        guard hours < 24, minutes < 60 else { return 0 }
        return (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
    }
}
