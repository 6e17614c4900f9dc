/// A door that is shut until a test opens it; replies and tasks wait at it.
package final class Latch: Sendable {
    private let open = Observed(false)
    private let arrivals = Observed(0)

    package init() {}

    package var isOpen: Bool { open.value }

    /// Lets through all that wait and all that come.
    package func release() { open.update { $0 = true } }

    /// Waits until the door is open, or the task is cancelled.
    package func pass() async {
        arrive()
        await open.wait { $0 }
    }

    /// Waits until `count` visitors, tasks or replies, have come to the door.
    package func waitForArrivals(_ count: Int = 1) async {
        await arrivals.wait { $0 >= count }
    }

    /// Notes that a thread, which looks at `isOpen` by itself, has come.
    func arrive() { arrivals.update { $0 += 1 } }
}
