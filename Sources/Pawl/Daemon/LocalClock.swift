internal import Glibc

/// The system's time zone.
package enum LocalClock {
    /// Returns how many seconds the wall clock is ahead of UTC at a moment, given in seconds since
    /// 1970.
    ///
    /// A changed time zone takes effect at once.
    package static func utcOffset(at moment: Int64) -> Int64 {
        tzset()
        var (seconds, parts) = (time_t(moment), tm())
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return Int64(parts.tm_gmtoff)
    }
}
