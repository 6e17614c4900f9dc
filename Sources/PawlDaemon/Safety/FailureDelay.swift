/// How long clients with wrong secrets wait for their answer.
///
/// Other clients never wait.
package struct FailureDelay: Sendable {
    private var failures = 0
    private var waiting = 0
    private var last: ContinuousClock.Instant?

    private static let first: Duration = .milliseconds(50)
    private static let most: Duration = .seconds(1)
    /// The time without failures after which the delay starts again at its minimum.
    private static let memory: Duration = .seconds(60)
    /// The maximum number of waiting clients; further ones are refused at once.
    package static let mostWaiting = 64

    package init() {}

    /// Records a wrong token.
    ///
    /// Returns the delay; `nil` if too many clients wait already.
    ///
    /// Call `ended` after the delay.
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
