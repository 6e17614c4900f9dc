/// A latch that is closed until a test opens it; replies and tasks wait for it.
package final class Latch: Sendable {
    private let open = Observed(false)
    private let arrivals = Observed(0)

    package init() {}

    package var isOpen: Bool { open.value }

    /// The number of tasks and replies that have reached the latch.
    package var arrivalCount: Int { arrivals.value }

    /// Opens the latch for all that wait and all that arrive later.
    package func release() { open.update { $0 = true } }

    /// Waits until the latch is open or the task is cancelled.
    package func pass() async {
        arrive()
        await open.wait { $0 }
    }

    /// Waits until `count` tasks or replies have reached the latch.
    package func waitForArrivals(_ count: Int = 1) async {
        await arrivals.wait { $0 >= count }
    }

    /// Records the arrival of a thread that checks `isOpen` itself.
    func arrive() { arrivals.update { $0 += 1 } }
}
