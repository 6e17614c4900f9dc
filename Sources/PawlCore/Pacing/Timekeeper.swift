/// A source of time: the system's monotonic clock, or a manual one in tests.
package protocol Timekeeper: Sendable {
    func now() -> Moment

    /// Returns at `moment` or soon after.
    ///
    /// Throws `CancellationError` when the task is cancelled.
    func sleep(until moment: Moment) async throws
}

/// The system's monotonic clock.
package struct SystemTimekeeper: Timekeeper {
    private static let origin = ContinuousClock.now

    package init() {}

    package func now() -> Moment {
        Moment(nanoseconds: Self.origin.duration(to: .now).nanoseconds)
    }

    package func sleep(until moment: Moment) async throws {
        guard moment != .distantFuture else {
            try await Task.sleep(for: .seconds(1_000_000_000))
            return
        }
        try await ContinuousClock().sleep(
            until: Self.origin.advanced(by: .nanoseconds(moment.nanoseconds)),
            tolerance: .milliseconds(1)
        )
    }
}
