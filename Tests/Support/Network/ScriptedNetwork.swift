package import PawlCore
internal import Synchronization

/// A network whose loss and return a test controls.
package final class ScriptedNetwork: NetworkPathMonitoring {
    private struct State {
        var path: NetworkPath
        var observers: [Int: @Sendable (NetworkPath) -> Void] = [:]
        var nextID = 0
        var reads = 0
    }

    private let state: Mutex<State>

    package init(_ path: NetworkPath) { state = Mutex(State(path: path)) }

    /// The number of times that the path was checked.
    package var reads: Int { state.withLock { $0.reads } }
    package var observerCount: Int { state.withLock { $0.observers.count } }

    package func become(_ path: NetworkPath) {
        state.withLock { state in
            state.path = path
            for observer in state.observers.values { observer(path) }
        }
    }

    /// Changes the path without a notice to the observers.
    package func becomeSilently(_ path: NetworkPath) { state.withLock { $0.path = path } }

    package func observe(
        asksWhetherMetered: Bool,
        _ changed: @escaping @Sendable (NetworkPath) -> Void
    ) -> NetworkObservation {
        let id = state.withLock { state in
            state.nextID += 1
            state.observers[state.nextID] = changed
            changed(state.path)
            return state.nextID
        }
        return NetworkObservation { [self] in
            state.withLock { $0.observers[id] = nil }
        }
    }

    package func current() -> NetworkPath {
        state.withLock { state in
            state.reads += 1
            return state.path
        }
    }

    package func shutDown() {}
}
