internal import PawlWire
internal import Synchronization

/// Tells readers that there is something new; what it is they take from the store, each at its own
/// pace, so that a slow one costs nothing but its connection.
final class EventNews: Sendable {
    private struct State {
        var last: Int64
        var progress: Progress?
        var readers: [Int: (bell: Bell, session: String?)] = [:]
        var nextReader = 0
    }

    /// What runs at this moment, as it is sent: made once for all readers.
    struct Progress: Sendable {
        var number: Int
        /// By session; nil is of all.
        var bytes: [String?: [UInt8]]
    }

    private let state: Mutex<State>

    init(last: Int64) { state = Mutex(State(last: last)) }

    /// The newest event that is in the store.
    var last: Int64 { state.withLock { $0.last } }
    var readers: Int { state.withLock { $0.readers.count } }
    var progress: Progress? { state.withLock { $0.progress } }
    /// The sessions that are read, nil where somebody reads all.
    var audiences: Set<String?> { state.withLock { Set($0.readers.values.map(\.session)) } }

    func published(_ last: Int64) {
        ring { state in
            guard last > state.last else { return false }
            state.last = last
            return true
        }
    }

    func published(_ bytes: [String?: [UInt8]]) {
        ring { state in
            state.progress = Progress(number: (state.progress?.number ?? 0) + 1, bytes: bytes)
            return true
        }
    }

    private func ring(_ change: (inout State) -> Bool) {
        let bells = state.withLock { state in
            change(&state) ? state.readers.values.map(\.bell) : []
        }
        for bell in bells { bell.ring() }
    }

    func enroll(_ bell: Bell, session: String? = nil) -> Int {
        state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = (bell, session)
            return state.nextReader
        }
    }

    func resign(_ reader: Int) { state.withLock { $0.readers[reader] = nil } }
}
