/// Decides when bytes may be sent to keep a rate.
struct Pacer {
    /// The maximum unused time that is made up for, so that no burst follows a long pause.
    private static let burstSeconds = 0.004
    private var free = Moment(nanoseconds: 0)

    /// Returns the time from which `count` bytes may be sent.
    mutating func take(_ count: Int, bytesPerSecond: Double, now: Moment) -> Moment {
        let start = max(free, now.advanced(bySeconds: -Self.burstSeconds))
        free = start.advanced(bySeconds: Double(count) / bytesPerSecond)
        return free
    }
}
