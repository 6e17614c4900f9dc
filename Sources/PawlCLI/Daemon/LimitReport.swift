internal import FoundationEssentials
internal import Pawl
internal import PawlCore
package import PawlWire

/// The output of `pawl limit`: one name and value per line.
package enum LimitReport {
    static func text(_ settings: DaemonSettings) -> String {
        text(settings, utcOffset: LocalClock.utcOffset)
    }

    /// The settings on one line.
    static func line(_ settings: DaemonSettings) -> String {
        rows(settings, LocalClock.utcOffset).map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            .sanitized
    }

    /// `utcOffset`: the number of seconds by which local time is ahead of UTC at a moment.
    package static func text(
        _ settings: DaemonSettings,
        utcOffset: (Int64) -> Int64
    ) -> String {
        .table(rows(settings, utcOffset))
    }

    private static func rows(
        _ settings: DaemonSettings,
        _ utcOffset: (Int64) -> Int64
    ) -> [(String, String)] {
        var rows: [(String, String)] = []
        if !settings.timetable.isEmpty {
            if let current = settings.current {
                rows.append(("now", now(current, utcOffset)))
            }
            rows.append(("timetable", TimetableText.text(settings.timetable)))
            rows.append(("otherwise", rate(settings.limitBytesPerSecond)))
        } else {
            rows.append(("rate", rate(settings.limitBytesPerSecond)))
        }
        let connections = settings.connectionsPerHost
        rows.append(("downloads", "\(settings.maximumConcurrentDownloads) at a time"))
        rows.append(("per host", "\(connections) connection\(connections == 1 ? "" : "s")"))
        rows.append(("metered", settings.usesMeteredNetwork ? "use" : "wait"))
        let days = settings.historyDays
        rows.append(
            ("history", "newest \(settings.historyCount), up to \(days) day\(days == 1 ? "" : "s")")
        )
        return rows
    }

    private static func rate(_ limit: Int64?) -> String {
        limit.map { ByteText.rate(Double($0)) } ?? "unlimited"
    }

    private static func now(_ current: WireCurrentLimit, _ utcOffset: (Int64) -> Int64) -> String {
        var text = rate(current.limitBytesPerSecond)
        if let until = current.until {
            let moment = Int64(until.timeIntervalSince1970)
            let wall = moment + utcOffset(moment)
            let day = Weekday(daysSince1970: wall / 86_400).shortName
            text += " until \(day) \(DayTime.text(Int(wall % 86_400 / 60)))"
        }
        return text
    }
}
