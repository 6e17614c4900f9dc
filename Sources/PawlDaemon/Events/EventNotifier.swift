internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Wakes the readers of events when there are new ones.
///
/// The readers read the events from the store, each at its own pace: a slow reader costs nothing
/// but its connection.
final class EventNotifier: Sendable {
    private struct State {
        var last: Int64
        var progress: Progress?
        var readers: [Int: (wakeup: Wakeup, session: String?)] = [:]
        var nextReader = 0
    }

    /// The progress of all downloads as it is sent, encoded once for all readers.
    struct Progress: Sendable {
        var number: Int
        /// The encoded progress by session; `nil` stands for all downloads.
        var bytes: [ExactText?: [UInt8]]
    }

    private let state: Mutex<State>

    init(last: Int64) { state = Mutex(State(last: last)) }

    /// The newest event in the store.
    var last: Int64 { state.withLock { $0.last } }
    var readers: Int { state.withLock { $0.readers.count } }
    var progress: Progress? { state.withLock { $0.progress } }
    /// The sessions that have readers; `nil` for a reader of all downloads.
    var audiences: Set<ExactText?> {
        state.withLock { Set($0.readers.values.map { $0.session.map { ExactText($0) } }) }
    }

    /// Wakes the readers if this event is new.
    func published(_ last: Int64) {
        wake { state in
            guard last > state.last else { return false }
            state.last = last
            return true
        }
    }

    /// Wakes the readers for new progress.
    func published(_ bytes: [ExactText?: [UInt8]]) {
        wake { state in
            state.progress = Progress(number: (state.progress?.number ?? 0) + 1, bytes: bytes)
            return true
        }
    }

    private func wake(_ change: (inout State) -> Bool) {
        let wakeups = state.withLock { state in
            change(&state) ? state.readers.values.map(\.wakeup) : []
        }
        for wakeup in wakeups { wakeup.send() }
    }

    /// Adds a reader; returns its number.
    func addReader(_ wakeup: Wakeup, session: String? = nil) -> Int {
        state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = (wakeup, session)
            return state.nextReader
        }
    }

    func removeReader(_ reader: Int) { state.withLock { $0.readers[reader] = nil } }
}
