package import PawlCore

/// Reads and writes a timetable of limits: `mon-fri 07:00-22:00 2M, 22:00-07:00 unlimited`.
package enum TimetableText {
    /// Parses periods separated by commas.
    ///
    /// A period has days (every day if omitted), a time `from-to`, and a rate or `unlimited`, which
    /// can also be written as `off` or 0.
    package static func parse(_ text: String) throws(ValueError) -> [WireLimitPeriod] {
        var periods: [WireLimitPeriod] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
            guard words.count >= 2 else {
                throw wrong(part.trimmed(of: " "))
            }
            let period = WireLimitPeriod(
                days: try days(words.dropLast(2)),
                from: try time(words[words.count - 2]).from,
                to: try time(words[words.count - 2]).to,
                limitBytesPerSecond: try NumberText.limit(words[words.count - 1])
            )
            periods.append(try checked(period))
        }
        return periods
    }

    package static func text(_ periods: [WireLimitPeriod]) -> String {
        periods.map { period in
            let days = period.days.map { $0.joined(separator: " ") + " " } ?? ""
            let limit = period.limitBytesPerSecond.map(rate) ?? "unlimited"
            return "\(days)\(period.from)-\(period.to) \(limit)"
        }.joined(separator: ", ")
    }

    /// Formats a rate in the largest unit that keeps it a whole number.
    private static func rate(_ bytesPerSecond: Int64) -> String {
        for (unit, letter) in [(Int64(1) << 30, "G"), (1 << 20, "M"), (1 << 10, "K")]
        where bytesPerSecond % unit == 0 {
            return "\(bytesPerSecond / unit)\(letter)"
        }
        return "\(bytesPerSecond)"
    }

    private static func checked(_ period: WireLimitPeriod) throws(ValueError) -> WireLimitPeriod {
        do {
            _ = try period.checked()
            return period
        } catch {
            throw ValueError(error.message, advice: error.guidance)
        }
    }

    private static func time(_ text: String) throws(ValueError) -> (from: String, to: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw wrong(text) }
        return (parts[0], parts[1])
    }

    private static func wrong(_ text: String) -> ValueError {
        ValueError(
            "invalid period '\(text)'",
            advice: "write periods as in '22:00-07:00 unlimited, mon-fri 07:00-22:00 2M'"
        )
    }

    // MARK: - Days

    /// Parses `mon`, `mon-fri`, or a range across the weekend such as `sat-mon`; `nil` if there are
    /// no words.
    private static func days(_ words: some Collection<String>) throws(ValueError) -> [String]? {
        guard !words.isEmpty else { return nil }
        var found: Set<Weekday> = []
        for word in words {
            let ends = word.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard ends.count <= 2, let first = Weekday(shortName: ends[0]),
                let last = Weekday(shortName: ends[ends.count - 1])
            else {
                throw ValueError(
                    "invalid day '\(word)'",
                    advice: "use mon, tue, wed, thu, fri, sat or sun, or a range such as mon-fri"
                )
            }
            var day = first
            found.insert(day)
            while day != last {
                day = day.after
                found.insert(day)
            }
        }
        return Weekday.allCases.filter(found.contains).map(\.shortName)
    }
}
