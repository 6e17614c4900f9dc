package import struct FoundationEssentials.Date
package import PawlCore

/// The limit of a queue that applies now.
package struct WireCurrentLimit: Codable, Sendable, Hashable {
    /// The maximum bytes per second; `nil` means no limit.
    package var limitBytesPerSecond: Int64?
    /// Whether the limit comes from the timetable.
    package var isByTimetable: Bool
    /// The time when another limit applies; `nil` if this one never changes.
    package var until: Date?

    package init(_ decision: RateLimitTimetable.Decision) {
        limitBytesPerSecond = decision.limit
        isByTimetable = decision.isByPeriod
        until = decision.changesAt.map { Date(timeIntervalSince1970: Double($0)) }
    }
}

/// A period of a timetable, in local time.
package struct WireLimitPeriod: Codable, Sendable, Hashable {
    /// The days on which it begins, `mon` to `sun`; `nil` is every day.
    package var days: [String]?
    /// The start, such as `22:00`.
    package var from: String
    /// The end, such as `07:00`.
    ///
    /// It is on the next day if it is not after `from`; `24:00` is the maximum.
    package var to: String
    /// The maximum bytes per second; `nil` and 0 mean no limit.
    package var limitBytesPerSecond: Int64?

    package init(days: [String]? = nil, from: String, to: String, limitBytesPerSecond: Int64?) {
        (self.days, self.from, self.to) = (days, from, to)
        self.limitBytesPerSecond = limitBytesPerSecond
    }

    /// Checks the period.
    ///
    /// Throws `.usage`.
    package func checked() throws(DownloadError) -> RateLimitTimetable.Period {
        guard let start = DayTime.minutes(from), start < 1440, let end = DayTime.minutes(to) else {
            throw Self.refusal(
                "'\(from.sanitized(atMost: 20))-\(to.sanitized(atMost: 20))' is not a period of the day",
                "write it as 22:00-07:00"
            )
        }
        guard start != end % 1440 || (start, end) == (0, 1440) else {
            throw Self.refusal(
                "the period '\(from)-\(to)' is empty",
                "give 00:00-24:00 for the whole day"
            )
        }
        let limit = limitBytesPerSecond ?? 0
        guard limit >= 0 else {
            throw Self.refusal(
                "invalid limit of \(limit) bytes per second",
                "give 0 or more; 0 means no limit"
            )
        }
        return RateLimitTimetable.Period(
            days: try checkedDays(),
            from: start,
            // 0 means midnight at the end of the day.
            to: end == 0 ? 1440 : end,
            limit: limit > 0 ? limit : nil
        )
    }

    private func checkedDays() throws(DownloadError) -> Set<Weekday> {
        guard let days else { return Set(Weekday.allCases) }
        var checked: Set<Weekday> = []
        for name in days {
            guard let day = Weekday(shortName: name) else {
                throw Self.refusal("invalid day '\(name.sanitized(atMost: 20))'", "use mon to sun")
            }
            checked.insert(day)
        }
        guard !checked.isEmpty else { throw Self.refusal("a period has no day", "use mon to sun") }
        return checked
    }

    private static func refusal(_ what: String, _ advice: Advice) -> DownloadError {
        DownloadError.usage(what, advice: advice)
    }
}
