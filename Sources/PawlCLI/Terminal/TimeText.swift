internal import PawlCore

/// Times for people.
package enum TimeText {
    /// `0:09`, `12:34`, `1:02:03`, `23h 59m`, `9d 03h`: at most 7 columns.
    package static func clock(_ time: Duration) -> String {
        let total = Int64(min(max(0, time.seconds), 1e9).rounded())
        let (minutes, seconds) = total.quotientAndRemainder(dividingBy: 60)
        let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
        switch hours {
        case 0: return "\(minutes):\(twoDigits(seconds))"
        case ..<10: return "\(hours):\(twoDigits(rest)):\(twoDigits(seconds))"
        case ..<100: return "\(hours)h \(twoDigits(rest))m"
        case ..<2400: return "\(hours / 24)d \(twoDigits(hours % 24))h"
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

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
