/// Rate limits by the time of day on the local wall clock.
///
/// It reads no clock and knows no time zone: the caller supplies the wall clock's offset from UTC.
package struct RateLimitTimetable: Hashable, Sendable {
    /// A time span on certain days, and its limit.
    package struct Period: Hashable, Sendable {
        /// The days on which it begins.
        ///
        /// A span across midnight continues on the next day.
        package var days: Set<Weekday>
        /// The start in minutes from midnight, below 1440.
        package var start: Int
        /// The end, from 1 to 1440.
        ///
        /// If it is not after `start`, it is on the next day.
        package var end: Int
        /// The limit in bytes per second; `nil` means no limit.
        package var limit: Int64?

        package init(
            days: Set<Weekday> = Set(Weekday.allCases),
            from start: Int,
            to end: Int,
            limit: Int64?
        ) {
            (self.days, self.start, self.end, self.limit) = (days, start, end, limit)
        }

        func holds(on day: Weekday, at minute: Int) -> Bool {
            if end > start { return days.contains(day) && minute >= start && minute < end }
            return (days.contains(day) && minute >= start)
                || (days.contains(day.before) && minute < end)
        }
    }

    /// The limit at some moment.
    package struct Decision: Hashable, Sendable {
        /// The limit in bytes per second; `nil` means no limit.
        package var limit: Int64?
        /// Whether the limit comes from a period.
        package var isByPeriod: Bool
        /// The time when another limit applies, in seconds since 1970; `nil` if the limit never
        /// changes.
        package var changesAt: Int64?

        package init(limit: Int64?, isByPeriod: Bool, changesAt: Int64? = nil) {
            (self.limit, self.isByPeriod, self.changesAt) = (limit, isByPeriod, changesAt)
        }
    }

    /// The periods.
    ///
    /// The first one that matches applies.
    package var periods: [Period]

    package init(_ periods: [Period]) { self.periods = periods }

    /// Returns the limit at a moment.
    ///
    /// `otherwise` applies outside all periods; `utcOffset` returns how many seconds the wall clock
    /// is ahead of UTC at a moment.
    package func decision(
        at now: Int64,
        otherwise: Int64?,
        utcOffset: (Int64) -> Int64
    ) -> Decision {
        let current = period(at: now, utcOffset)
        let limit = current.map(\.limit) ?? otherwise
        var decision = Decision(limit: limit, isByPeriod: current != nil)
        var moment = now
        // A limit that does not change within a week never changes.
        while let next = nextBoundary(after: moment, utcOffset), next - now <= Self.horizon {
            let other = period(at: next, utcOffset).map(\.limit) ?? otherwise
            guard other == limit else {
                decision.changesAt = next
                return decision
            }
            moment = next
        }
        return decision
    }

    private static let secondsPerDay: Int64 = 86_400
    private static let horizon = 8 * secondsPerDay

    private func period(at moment: Int64, _ utcOffset: (Int64) -> Int64) -> Period? {
        let wall = moment + utcOffset(moment)
        let second = wall.flooredDivision(by: Self.secondsPerDay).remainder
        let day = Weekday(daysSince1970: (wall - second) / Self.secondsPerDay)
        return periods.first { $0.holds(on: day, at: Int(second / 60)) }
    }

    /// Returns the next moment at which a period may begin or end, because of the passing time or
    /// of a clock change.
    private func nextBoundary(after moment: Int64, _ utcOffset: (Int64) -> Int64) -> Int64? {
        let boundaries = Set(periods.flatMap { [$0.start, $0.end % 1440] }).map { Int64($0) * 60 }
        let offset = utcOffset(moment)
        let second = (moment + offset).flooredDivision(by: Self.secondsPerDay).remainder
        let waits = boundaries.map { $0 > second ? $0 - second : $0 - second + Self.secondsPerDay }
        guard let wait = waits.min() else { return nil }
        guard utcOffset(moment + wait) != offset else { return moment + wait }
        var (same, other) = (moment, moment + wait)
        while other - same > 1 {
            let middle = same + (other - same) / 2
            if utcOffset(middle) == offset { same = middle } else { other = middle }
        }
        return other
    }
}

/// A day of the week.
package enum Weekday: Int, CaseIterable, Sendable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// Creates a weekday from the days since 1970.
    ///
    /// The first of January 1970 was a Thursday.
    package init(daysSince1970 days: Int64) {
        let number = Int((days.flooredDivision(by: 7).remainder + 3) % 7)
        self = Self.allCases[number]
    }

    package var after: Weekday { Self.allCases[(rawValue + 1) % 7] }
    package var before: Weekday { Self.allCases[(rawValue + 6) % 7] }

    /// The first three letters, such as `mon`.
    package var shortName: String {
        switch self {
        case .monday: "mon"
        case .tuesday: "tue"
        case .wednesday: "wed"
        case .thursday: "thu"
        case .friday: "fri"
        case .saturday: "sat"
        case .sunday: "sun"
        }
    }

    /// Creates a weekday from its short name.
    package init?(shortName: String) {
        guard let day = Self.allCases.first(where: { $0.shortName == shortName }) else {
            return nil
        }
        self = day
    }
}

/// A time of day such as `22:00`.
package enum DayTime {
    /// Returns the minutes from midnight, up to `24:00`; `nil` if the text is not a time.
    package static func minutes(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy(\.isAllDigits), parts[0].count <= 2,
            parts[1].count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60
        else { return nil }
        let all = hour * 60 + minute
        return all <= 1440 ? all : nil
    }

    package static func text(_ minutes: Int) -> String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour.twoDigits):\(minute.twoDigits)"
    }
}
