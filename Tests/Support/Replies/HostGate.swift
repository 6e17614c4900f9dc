import Synchronization

/// A limit on concurrent exchanges, which replies with the same gate share.
package final class HostGate: Sendable {
    private struct State {
        var inside = 0
        var peak = 0
        var refused = 0
    }

    package let limit: Int
    private let state = Mutex(State())

    package init(limit: Int) { self.limit = limit }

    /// The maximum number of concurrent exchanges.
    package var peak: Int { state.withLock { $0.peak } }
    /// The number of refused exchanges.
    package var refused: Int { state.withLock { $0.refused } }

    func enter() -> Bool {
        state.withLock { state in
            guard state.inside < limit else {
                state.refused += 1
                return false
            }
            state.inside += 1
            state.peak = max(state.peak, state.inside)
            return true
        }
    }

    func leave() { state.withLock { $0.inside -= 1 } }
}
