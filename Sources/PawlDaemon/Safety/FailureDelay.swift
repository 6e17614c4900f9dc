/// How long those who guess wait for their answer; nobody else ever does.
package struct FailureDelay: Sendable {
    private var failures = 0
    private var waiting = 0
    private var last: ContinuousClock.Instant?

    private static let first: Duration = .milliseconds(50)
    private static let most: Duration = .seconds(1)
    /// After that much quiet it begins anew.
    private static let memory: Duration = .seconds(60)
    /// So many wait at a time; more are turned away at once.
    package static let mostWaiting = 64

    package init() {}

    /// A wrong token came; nil where too many wait already.
    ///
    /// Else `ended` is to be called when it has waited.
    package mutating func failed(at now: ContinuousClock.Instant) -> Duration? {
        if let last, now - last > Self.memory { failures = 0 }
        last = now
        guard waiting < Self.mostWaiting else { return nil }
        waiting += 1
        let delay = Self.first * Double(1 << min(failures, 10))
        failures += 1
        return min(delay, Self.most)
    }

    package mutating func ended() { waiting -= 1 }
}
