/// The delay of the response to a wrong token; other responses are never delayed.
package struct FailureDelay: Sendable {
    private var failures = 0
    private var waiting = 0
    private var last: ContinuousClock.Instant?

    private static let first: Duration = .milliseconds(50)
    private static let most: Duration = .seconds(1)
    /// The time without a failure after which the delay starts again from its first value.
    private static let memory: Duration = .seconds(60)
    /// The maximum number of responses that are delayed at the same time; more are refused
    /// immediately.
    package static let mostWaiting = 64

    package init() {}

    /// Returns the delay for a wrong token; `nil` if too many responses are already delayed.
    ///
    /// After the delay, call `ended`.
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
