extension HTTPDate {
    package init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

    /// The date as HTTP writes it (IMF-fixdate, RFC 9110 §5.6.7).
    package var text: String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let (day, second) = secondsSince1970.flooredDivision(by: 86_400)
        let (year, month, dayOfMonth) = Self.civil(day)
        let clock = [second / 3600, second / 60 % 60, second % 60].map(Self.twoDigits)
        let weekday = Int(day.flooredDivision(by: 7).remainder)
        return "\(days[weekday]), \(Self.twoDigits(dayOfMonth)) \(months[Int(month) - 1]) \(year) "
            + clock.joined(separator: ":") + " GMT"
    }

    /// Returns the date of a day counted from 1970, by eras of 400 years (Hinnant,
    /// "chrono-compatible low-level date algorithms").
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (day + 719_468).flooredDivision(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
