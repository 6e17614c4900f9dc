/// A point in time, parsed from any of HTTP's three forms (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable, Sendable {
    package var secondsSince1970: Int64

    /// Returns `nil` if the text is not a date.
    ///
    /// The weekday is not checked.
    package init?(parsing text: String) {
        var scanner = FieldScanner(text.trimmed)
        guard !scanner.letters().isEmpty else { return nil }
        let seconds = scanner.skip(",") ? Self.dayFirst(&scanner) : Self.monthFirst(&scanner)
        guard let seconds, scanner.isAtEnd else { return nil }
        secondsSince1970 = seconds
    }

    /// Parses `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`, after the weekday.
    private static func dayFirst(_ scanner: inout FieldScanner) -> Int64? {
        scanner.skipWhitespace()
        guard let day = scanner.number(), separator(&scanner),
            let month = month(scanner.letters()), separator(&scanner),
            let year = year(scanner.take(while: \.isDigit)), scanner.skipWhitespace(),
            let time = time(&scanner), scanner.skipWhitespace(),
            ["GMT", "UTC"].contains(scanner.letters().uppercased()),
            let days = days(year: year, month: month, day: day)
        else { return nil }
        return days * 86_400 + time
    }

    /// Parses `Nov  6 08:49:37 1994`, after the weekday: the form of C's `asctime`.
    private static func monthFirst(_ scanner: inout FieldScanner) -> Int64? {
        guard scanner.skipWhitespace(), let month = month(scanner.letters()),
            scanner.skipWhitespace(), let day = scanner.number(), scanner.skipWhitespace(),
            let time = time(&scanner), scanner.skipWhitespace(),
            let year = year(scanner.take(while: \.isDigit)),
            let days = days(year: year, month: month, day: day)
        else { return nil }
        return days * 86_400 + time
    }

    private static func separator(_ scanner: inout FieldScanner) -> Bool {
        scanner.skip("-") || scanner.skipWhitespace()
    }

    private static func month(_ name: String) -> Int64? {
        months.firstIndex(of: name.lowercased()).map { Int64($0) + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

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

    /// Returns the days since 1970 of a Gregorian date; `nil` if there is no such day.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day) else {
            return nil
        }
        // Years are counted from March, so that the leap day is the last day of a year.
        let shifted = month <= 2 ? year - 1 : year
        let yearDay = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = floored(shifted, 4) - floored(shifted, 100) + floored(shifted, 400)
        return shifted * 365 + leapDays + yearDay - 719_468
    }

    /// Divides, rounding down.
    ///
    /// The year before year 0 is -1, so the result must not be rounded toward zero.
    private static func floored(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }
}
