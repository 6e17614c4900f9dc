/// The date of a line in curl's files of hosts: `20271231 23:59:59`, in UTC.
enum CurlFileDate {
    /// Returns the text of a time in seconds since 1970.
    static func text(_ time: Int64) -> String {
        let (days, second) = time.flooredDivision(by: 86_400)
        let day = CalendarDay(daysSince1970: days)
        let clock = [second / 3600, second / 60 % 60, second % 60].map(\.twoDigits)
        return "\(day.year)\(day.month.twoDigits)\(day.day.twoDigits) "
            + clock.joined(separator: ":")
    }

    /// Returns the time in seconds since 1970; `nil` for another text.
    static func seconds(_ date: String) -> Int64? {
        var scanner = FieldScanner(date)
        guard let digits = scanner.number(), (10_000_101...99_991_231).contains(digits),
            scanner.skipWhitespace(),
            let hour = scanner.number(), scanner.skip(":"), let minute = scanner.number(),
            scanner.skip(":"), let second = scanner.number(), scanner.isAtEnd,
            hour < 24, minute < 60, second <= 60,
            let day = CalendarDay(
                year: digits / 10_000,
                month: digits / 100 % 100,
                day: digits % 100
            )
        else { return nil }
        return day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
    }
}
