internal import Glibc

/// The system's time zone.
package enum LocalClock {
    /// How many seconds the wall clock is ahead of UTC at a moment, in seconds since 1970.
    ///
    /// A zone that was changed meanwhile counts.
    package static func utcOffset(at moment: Int64) -> Int64 {
        tzset()
        var (seconds, parts) = (time_t(moment), tm())
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return Int64(parts.tm_gmtoff)
    }
}
