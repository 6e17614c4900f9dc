package import FoundationEssentials
internal import Pawl
internal import PawlCore

/// Formats times in the time zone of this machine.
package struct LocalTime: Sendable {
    private let utcOffset: @Sendable (Int64) -> Int64

    /// `utcOffset`: the number of seconds by which local time is ahead of UTC at a moment.
    package init(
        utcOffset: @escaping @Sendable (Int64) -> Int64 = { LocalClock.utcOffset(at: $0) }
    ) {
        self.utcOffset = utcOffset
    }

    /// `2026-11-22T22:00:05+01:00` (RFC 3339), as `--not-before` reads it.
    package func full(_ date: Date) -> String {
        let offset = offset(at: date)
        let minutes = abs(offset) / 60
        return wall(date) + (offset < 0 ? "-" : "+") + (minutes / 60).twoDigits + ":"
            + (minutes % 60).twoDigits
    }

    /// For a table: `22:00:05` on the day of `now`, otherwise `2026-11-23 22:00`.
    package func brief(_ date: Date, now: Date) -> String {
        let parts = wall(date).split(separator: "T", maxSplits: 1)
        guard parts.count == 2 else { return full(date) }
        guard !wall(now).hasPrefix(parts[0]) else { return String(parts[1]) }
        return "\(parts[0]) \(parts[1].prefix(5))"
    }

    private func wall(_ date: Date) -> String {
        String(date.addingTimeInterval(Double(offset(at: date))).formatted(.iso8601).dropLast())
    }

    private func offset(at date: Date) -> Int64 {
        Int64(exactly: date.timeIntervalSince1970.rounded(.down)).map(utcOffset) ?? 0
    }
}
