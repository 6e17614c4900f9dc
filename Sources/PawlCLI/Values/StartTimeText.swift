package import PawlCore

/// Parses start times: `22:00`, `2026-11-22 22:00`, `+90m`, `now`.
package enum StartTimeText {
    /// The current time and time zone.
    package struct Context {
        /// Seconds since 1970.
        package var now: Int64
        /// The number of seconds by which local time is ahead of UTC at a moment.
        package var utcOffset: (Int64) -> Int64

        package init(now: Int64, utcOffset: @escaping (Int64) -> Int64) {
            self.now = now
            self.utcOffset = utcOffset
        }

        /// The moment of a local time.
        fileprivate func moment(wall: Int64) -> Int64 {
            // A local time that a clock change skips is read with the offset before the change.
            let guess = wall - utcOffset(wall)
            return wall - utcOffset(guess)
        }
    }

    /// The start time in seconds since 1970; `nil` for `now`.
    package static func parse(
        _ text: String,
        _ context: Context
    ) throws(ValueError) -> Int64? {
        if text.lowercased() == "now" { return nil }
        if text.hasPrefix("+"), let wait = wait(text.dropFirst()) { return context.now + wait }
        if let minutes = DayTime.minutes(text), minutes < 1440 {
            return next(minutes, context)
        }
        guard let moment = date(text, context) else {
            throw ValueError(
                "invalid start time '\(text)'",
                advice: "use 22:00, 2026-11-22 22:00, 2026-11-22T22:00:00Z, +90m or now"
            )
        }
        return moment
    }

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    private static func wait(_ text: Substring) -> Int64? {
        guard let last = text.last, let unit = units[last],
            let count = number(text.dropLast()), count <= 100_000
        else { return nil }
        return count * unit
    }

    /// The next moment with this time of day: today, or tomorrow if it has passed.
    private static func next(_ minutes: Int, _ context: Context) -> Int64 {
        let wall = context.now + context.utcOffset(context.now)
        let midnight = wall - wall % 86_400
        let today = context.moment(wall: midnight + Int64(minutes) * 60)
        guard today <= context.now else { return today }
        return context.moment(wall: midnight + 86_400 + Int64(minutes) * 60)
    }

    // MARK: - Dates

    /// RFC 3339.
    ///
    /// The seconds and the zone are optional, and the `T` may be a space.
    private static func date(_ text: String, _ context: Context) -> Int64? {
        let parts = text.split(maxSplits: 1) { $0 == "T" || $0 == "t" || $0 == " " }
        guard parts.count == 2, let day = day(parts[0]) else { return nil }
        var time = parts[1]
        let zone = zone(&time)
        guard let zone, let second = second(time) else { return nil }
        let wall = day * 86_400 + second
        return zone.offset.map { wall - $0 } ?? context.moment(wall: wall)
    }

    private static func day(_ text: Substring) -> Int64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], let year = number(parts[0]), year >= 1970,
            let month = number(parts[1]), let day = number(parts[2])
        else { return nil }
        return CalendarDay(year: year, month: month, day: day)?.daysSince1970
    }

    private static func second(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, parts.allSatisfy({ $0.count == 2 }),
            let minutes = DayTime.minutes(parts[0] + ":" + parts[1]), minutes < 1440
        else { return nil }
        guard parts.count == 3 else { return Int64(minutes) * 60 }
        guard let seconds = number(parts[2]), seconds < 60 else { return nil }
        return Int64(minutes) * 60 + seconds
    }

    private struct Zone {
        /// `nil` is the local time zone.
        var offset: Int64?
    }

    /// Removes the time zone from the end of the text; `nil` if it is invalid.
    private static func zone(_ time: inout Substring) -> Zone? {
        if time.last == "Z" || time.last == "z" {
            time = time.dropLast()
            return Zone(offset: 0)
        }
        guard let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return Zone() }
        let text = time[time.index(after: sign)...]
        guard text.count == 5, let minutes = DayTime.minutes(text), minutes < 1440 else {
            return nil
        }
        let offset = Int64(minutes) * 60
        let isAhead = time[sign] == "+"
        time = time[..<sign]
        return Zone(offset: isAhead ? offset : -offset)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.isAllDigits ? Int64(text) : nil
    }
}
