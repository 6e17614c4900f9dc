/// The system's clock at a multiple of its speed, for tests that would wait for seconds.
package struct HurriedTimekeeper: Timekeeper {
    private let factor: Int64
    private let system = SystemTimekeeper()

    /// Creates the clock.
    ///
    /// `factor`: the speed as a multiple of the system's, up to a million.
    package init(factor: Int) { self.factor = Int64(min(max(1, factor), 1_000_000)) }

    package func now() -> Moment {
        Moment(nanoseconds: system.now().nanoseconds.multipliedReportingOverflow(by: factor).0)
    }

    package func sleep(until moment: Moment) async throws {
        guard moment != .distantFuture else { return try await system.sleep(until: moment) }
        // The division rounds down, so one nanosecond more ends the sleep after the moment, not
        // before.
        try await system.sleep(until: Moment(nanoseconds: moment.nanoseconds / factor + 1))
    }
}
