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
        var readers: [Int: Reader] = [:]
        var nextReader = 0
    }

    private struct Reader {
        var wakeup: Wakeup
        var session: String?
        /// Whether it is woken for progress, too.
        var readsProgress: Bool
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
    /// The sessions that have readers of progress; `nil` for a reader of all downloads.
    var audiences: Set<ExactText?> {
        state.withLock { state in
            Set(
                state.readers.values.filter(\.readsProgress).map {
                    $0.session.map { ExactText($0) }
                }
            )
        }
    }

    /// Wakes the readers if this event is new.
    func published(_ last: Int64) {
        wake({ _ in true }) { state in
            guard last > state.last else { return false }
            state.last = last
            return true
        }
    }

    /// Wakes the readers for new progress.
    func published(_ bytes: [ExactText?: [UInt8]]) {
        wake(\.readsProgress) { state in
            state.progress = Progress(number: (state.progress?.number ?? 0) + 1, bytes: bytes)
            return true
        }
    }

    private func wake(_ isMeant: (Reader) -> Bool, _ change: (inout State) -> Bool) {
        let wakeups = state.withLock { state in
            change(&state) ? state.readers.values.filter(isMeant).map(\.wakeup) : []
        }
        for wakeup in wakeups { wakeup.send() }
    }

    /// Adds a reader; returns its number.
    func addReader(
        _ wakeup: Wakeup,
        session: String? = nil,
        readsProgress: Bool = true
    ) -> Int {
        state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = Reader(
                wakeup: wakeup,
                session: session,
                readsProgress: readsProgress
            )
            return state.nextReader
        }
    }

    func removeReader(_ reader: Int) { state.withLock { $0.readers[reader] = nil } }
}
