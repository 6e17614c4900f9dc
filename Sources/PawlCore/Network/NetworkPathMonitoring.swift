internal import Synchronization

/// Knows how this machine reaches the network, and reports changes.
package protocol NetworkPathMonitoring: Sendable {
    /// Calls `changed` with the current path soon, and then with each new one.
    ///
    /// The calls are made under a lock, one at a time and in order, so the callback must not call
    /// back. An observer that asks whether the network is metered is called only after that was
    /// looked up.
    func observe(
        asksWhetherMetered: Bool,
        _ changed: @escaping @Sendable (NetworkPath) -> Void
    ) -> NetworkObservation

    /// Reads the routes again; blocks for about a millisecond.
    ///
    /// All observers receive the result.
    func current() -> NetworkPath

    /// Ends the monitoring.
    ///
    /// No observer is called any more.
    func shutDown()
}

/// An observer's registration.
package final class NetworkObservation: Sendable {
    private let whenEnded: @Sendable () -> Void
    private let isEnded = Atomic<Bool>(false)

    package init(whenEnded: @escaping @Sendable () -> Void = {}) { self.whenEnded = whenEnded }

    deinit { end() }

    /// Ends the observation.
    ///
    /// The observer is not called after this has returned.
    package func end() {
        if !isEnded.exchange(true, ordering: .relaxed) { whenEnded() }
    }
}

/// The monitor if the system cannot be asked: everything counts as reachable and nothing as
/// metered.
package struct AlwaysReachable: NetworkPathMonitoring {
    package init() {}

    package func observe(
        asksWhetherMetered: Bool,
        _ changed: @escaping @Sendable (NetworkPath) -> Void
    ) -> NetworkObservation {
        changed(.unknown)
        return NetworkObservation()
    }

    package func current() -> NetworkPath { .unknown }

    package func shutDown() {}
}
