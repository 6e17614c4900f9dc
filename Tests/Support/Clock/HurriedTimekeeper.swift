package import PawlCore

/// The system's clock, going faster: for what waits for seconds, against servers that are real.
package struct HurriedTimekeeper: Timekeeper {
    private let factor: Int64
    private let system = SystemTimekeeper()

    /// `factor`: how many seconds pass in one of the system's.
    package init(factor: Int) { self.factor = Int64(max(1, factor)) }

    package func now() -> Moment {
        Moment(nanoseconds: system.now().nanoseconds.multipliedReportingOverflow(by: factor).0)
    }

    package func sleep(until moment: Moment) async throws {
        guard moment != .distantFuture else { return try await system.sleep(until: moment) }
        // Behind the moment, not before it: the division rounds down.
        try await system.sleep(until: Moment(nanoseconds: moment.nanoseconds / factor + 1))
    }
}
