/// Says when bytes may go out so that a rate is kept.
struct Pacer {
    /// What was not used for so long is lost, so that no burst follows a pause.
    private static let burstSeconds = 0.004
    private var free = Moment(nanoseconds: 0)

    /// The moment from which `count` bytes may be sent.
    mutating func take(_ count: Int, bytesPerSecond: Double, now: Moment) -> Moment {
        let start = max(free, now.advanced(bySeconds: -Self.burstSeconds))
        free = start.advanced(bySeconds: Double(count) / bytesPerSecond)
        return free
    }
}
