/// A point in time that is parsed from any of HTTP's three forms, and written in one (RFC 9110
/// §5.6.7).
package struct HTTPDate: Hashable, Sendable {
    package var secondsSince1970: Int64

    package init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

    /// Returns `nil` if the text is not a date; the weekday is not checked.
    package init?(parsing text: String) {
        var scanner = FieldScanner(text.trimmed)
        guard !scanner.letters().isEmpty else { return nil }
        let seconds = scanner.skip(",") ? Self.dayFirst(&scanner) : Self.monthFirst(&scanner)
        guard let seconds, scanner.isAtEnd else { return nil }
        secondsSince1970 = seconds
    }

    /// The date in the form that HTTP writes (IMF-fixdate).
    package var text: String {
        let (days, second) = secondsSince1970.flooredDivision(by: 86_400)
        let date = CalendarDay(daysSince1970: days)
        let weekday = Self.weekdays[Int(days.flooredDivision(by: 7).remainder)]
        let month = MonthName.all[Int(date.month) - 1]
        let clock = [second / 3600, second / 60 % 60, second % 60].map(\.twoDigits)
        return "\(weekday), \(date.day.twoDigits) \(month) \(date.year) "
            + clock.joined(separator: ":") + " GMT"
    }

    /// Parses `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`, after the weekday.
    private static func dayFirst(_ scanner: inout FieldScanner) -> Int64? {
        scanner.skipWhitespace()
        guard let day = scanner.number(), separator(&scanner),
            let month = MonthName.number(scanner.letters()), separator(&scanner),
            let year = year(scanner.take(while: \.isDigit)), scanner.skipWhitespace(),
            let time = time(&scanner), scanner.skipWhitespace(),
            ["GMT", "UTC"].contains(scanner.letters().uppercased()),
            let date = CalendarDay(year: year, month: month, day: day)
        else { return nil }
        return date.daysSince1970 * 86_400 + time
    }

    /// Parses `Nov  6 08:49:37 1994`, after the weekday: the form of C's `asctime`.
    private static func monthFirst(_ scanner: inout FieldScanner) -> Int64? {
        guard scanner.skipWhitespace(), let month = MonthName.number(scanner.letters()),
            scanner.skipWhitespace(), let day = scanner.number(), scanner.skipWhitespace(),
            let time = time(&scanner), scanner.skipWhitespace(),
            let year = year(scanner.take(while: \.isDigit)),
            let date = CalendarDay(year: year, month: month, day: day)
        else { return nil }
        return date.daysSince1970 * 86_400 + time
    }

    private static func separator(_ scanner: inout FieldScanner) -> Bool {
        scanner.skip("-") || scanner.skipWhitespace()
    }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Parses a year.
    ///
    /// Two digits mean 1970 to 2069: without a clock this is the best approximation of "not more
    /// than 50 years ahead".
    private static func year(_ digits: String) -> Int64? {
        guard let year = Int64(digits) else { return nil }
        switch digits.utf8.count {
        case 2: return year < 70 ? 2000 + year : 1900 + year
        case 4: return year
        default: return nil
        }
    }

    private static func time(_ scanner: inout FieldScanner) -> Int64? {
        guard let hour = scanner.number(), scanner.skip(":"), let minute = scanner.number(),
            scanner.skip(":"), let second = scanner.number(),
            hour < 24, minute < 60, second <= 60  // 60 is a leap second
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}
