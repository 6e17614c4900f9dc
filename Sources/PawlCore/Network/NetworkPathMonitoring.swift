internal import Synchronization

/// Knows how this machine reaches the network, and tells when that changes.
package protocol NetworkPathMonitoring: Sendable {
    /// Has `changed` called with the present path soon, and then with each other one.
    ///
    /// It is called under a lock, one call at a time and in order, and may call nothing back. Who
    /// asks whether the network is metered hears nothing before that was looked up.
    func observe(
        asksWhetherMetered: Bool,
        _ changed: @escaping @Sendable (NetworkPath) -> Void
    ) -> NetworkObservation

    /// Looks at the routes anew; blocks for about a millisecond.
    ///
    /// All observers hear of what is found.
    func look() -> NetworkPath

    /// Ends what runs; nobody is told of anything any more.
    func shutDown()
}

/// Somebody's wish to hear of the network.
package final class NetworkObservation: Sendable {
    private let whenEnded: @Sendable () -> Void
    private let isEnded = Atomic<Bool>(false)

    package init(whenEnded: @escaping @Sendable () -> Void = {}) { self.whenEnded = whenEnded }

    deinit { end() }

    /// Nothing is told after this has returned.
    package func end() {
        if !isEnded.exchange(true, ordering: .relaxed) { whenEnded() }
    }
}

/// Where the system cannot be asked: everything is thought to be reachable, nothing to be metered.
package struct AlwaysReachable: NetworkPathMonitoring {
    package init() {}

    package func observe(
        asksWhetherMetered: Bool,
        _ changed: @escaping @Sendable (NetworkPath) -> Void
    ) -> NetworkObservation {
        changed(.unknown)
        return NetworkObservation()
    }

    package func look() -> NetworkPath { .unknown }

    package func shutDown() {}
}
