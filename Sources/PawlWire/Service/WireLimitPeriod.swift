package import struct FoundationEssentials.Date
package import PawlCore

/// What of a queue's limits holds now.
package struct WireCurrentLimit: Codable, Sendable, Hashable {
    /// Nil is no limit.
    package var limitBytesPerSecond: Int64?
    /// Whether the timetable says so.
    package var isByTimetable: Bool
    /// When another limit holds; nil where none ever does.
    package var until: Date?

    package init(_ decision: RateLimitTimetable.Decision) {
        limitBytesPerSecond = decision.limit
        isByTimetable = decision.isByPeriod
        until = decision.changesAt.map { Date(timeIntervalSince1970: Double($0)) }
    }
}

/// A period of a timetable, in local time.
package struct WireLimitPeriod: Codable, Sendable, Hashable {
    /// On which it begins: `mon` to `sun`; nil is each day.
    package var days: [String]?
    /// `22:00`.
    package var from: String
    /// `07:00`, on the next day where it is not behind `from`; up to `24:00`.
    package var to: String
    /// Nil is no limit.
    package var limitBytesPerSecond: Int64?

    package init(days: [String]? = nil, from: String, to: String, limitBytesPerSecond: Int64?) {
        (self.days, self.from, self.to) = (days, from, to)
        self.limitBytesPerSecond = limitBytesPerSecond
    }

    /// Throws `.usage`.
    package func checked() throws(DownloadError) -> RateLimitTimetable.Period {
        guard let start = DayTime.minutes(from), start < 1440, let end = DayTime.minutes(to) else {
            throw Self.refusal(
                "'\(from.sanitized(atMost: 20))-\(to.sanitized(atMost: 20))' is no time of a day",
                "give it as 22:00-07:00"
            )
        }
        guard start != end % 1440 || (start, end) == (0, 1440) else {
            throw Self.refusal(
                "'\(from)-\(to)' begins where it ends",
                "give 00:00-24:00 for the whole day"
            )
        }
        if let limitBytesPerSecond { try Self.check(limitBytesPerSecond) }
        return RateLimitTimetable.Period(
            days: try checkedDays(),
            from: start,
            // Until midnight.
            to: end == 0 ? 1440 : end,
            limit: limitBytesPerSecond
        )
    }

    private func checkedDays() throws(DownloadError) -> Set<Weekday> {
        guard let days else { return Set(Weekday.allCases) }
        var checked: Set<Weekday> = []
        for name in days {
            guard let day = Weekday(shortName: name) else {
                throw Self.refusal("'\(name.sanitized(atMost: 20))' is no day", "give mon to sun")
            }
            checked.insert(day)
        }
        guard !checked.isEmpty else { throw Self.refusal("a period has no day", "give mon to sun") }
        return checked
    }

    static func check(_ limit: Int64) throws(DownloadError) {
        guard limit > 0 else {
            throw refusal("a limit of \(limit) bytes a second", "give more than 0, or leave it out")
        }
    }

    private static func refusal(_ what: String, _ advice: String) -> DownloadError {
        DownloadError(.usage, what, advice: advice)
    }
}
