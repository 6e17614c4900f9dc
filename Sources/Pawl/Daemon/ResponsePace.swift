/// Measures whether the body of a response arrives fast enough: each MiB has a time limit.
package struct ResponsePace: Sendable {
    package static let bytesPerLimit = 1 << 20

    private let longest: Duration
    private var bytes = 0
    private var beginning: ContinuousClock.Instant

    package init(_ longest: Duration, at now: ContinuousClock.Instant) {
        (self.longest, beginning) = (longest, now)
    }

    /// Notes received bytes; returns whether they arrived in time.
    package mutating func received(_ count: Int, at now: ContinuousClock.Instant) -> Bool {
        guard now - beginning <= longest else { return false }
        bytes += count
        if bytes >= Self.bytesPerLimit { (bytes, beginning) = (0, now) }
        return true
    }
}
