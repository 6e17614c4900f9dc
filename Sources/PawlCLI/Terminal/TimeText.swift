internal import PawlCore

/// Formats durations.
package enum TimeText {
    /// `0:09`, `12:34`, `1:02:03`, `23h 59m`, `9d 03h`: at most 7 columns.
    package static func clock(_ time: Duration) -> String {
        let total = Int64(min(max(0, time.seconds), 1e9).rounded())
        let (minutes, seconds) = total.quotientAndRemainder(dividingBy: 60)
        let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
        switch hours {
        case 0: return "\(minutes):\(seconds.twoDigits)"
        case ..<10: return "\(hours):\(rest.twoDigits):\(seconds.twoDigits)"
        case ..<100: return "\(hours)h \(rest.twoDigits)m"
        case ..<2400: return "\(hours / 24)d \((hours % 24).twoDigits)h"
        default: return "> 99d"
        }
    }

    /// `0.4 s`, `26 s`, `3:05`.
    package static func elapsed(_ time: Duration) -> String {
        let seconds = max(0, time.seconds)
        switch seconds {
        case ..<9.95: return "\(fixed(seconds, decimals: 1)) s"
        case ..<59.5: return "\(fixed(seconds, decimals: 0)) s"
        default: return clock(time)
        }
    }
}
