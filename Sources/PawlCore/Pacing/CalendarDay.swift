/// A day of the Gregorian calendar.
package struct CalendarDay: Hashable, Sendable {
    package let year: Int64
    package let month: Int64
    package let day: Int64

    /// Returns `nil` if there is no such day.
    package init?(year: Int64, month: Int64, day: Int64) {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day) else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Computes the date by eras of 400 years (Hinnant, "chrono-compatible low-level date
    /// algorithms").
    package init(daysSince1970: Int64) {
        let (era, dayOfEra) = (daysSince1970 + 719_468).flooredDivision(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
    }

    package var daysSince1970: Int64 {
        // Years are counted from March, so that the leap day is the last day of a year.
        let shifted = month <= 2 ? year - 1 : year
        let yearDay = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays =
            shifted.flooredDivision(by: 4).quotient - shifted.flooredDivision(by: 100).quotient
            + shifted.flooredDivision(by: 400).quotient
        return shifted * 365 + leapDays + yearDay - 719_468
    }
}

extension Int64 {
    /// Divides, rounding down even for negative numbers.
    ///
    /// The remainder is never negative.
    package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
