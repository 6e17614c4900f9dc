internal import Synchronization

/// Lets downloads start in the order given, so many at a time.
final class StartGate: Sendable {
    private struct State {
        var free: Int
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(places: Int) { state = Mutex(State(free: max(1, places))) }

    /// Waits for a place; one waiter at a time.
    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiter = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let waiter = state.withLock { state in
            if state.waiter == nil { state.free += 1 }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
