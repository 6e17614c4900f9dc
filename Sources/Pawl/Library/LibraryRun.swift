internal import PawlCore
internal import Synchronization

/// One attempt at a library's download: it waits for its turn, or has a task.
final class LibraryRun: Sendable {
    private struct State {
        var task: DownloadTask?
        /// Whether what came is to be kept.
        var stop: Bool?
        /// Whether it had the key.
        var hasClaimed = false
    }

    let start: LibraryIndex.Start
    /// When the disk knows of it: its note is written, or cannot be.
    let noted = EndSignal()
    /// When the library has heard of its end.
    let ended = EndSignal()
    private let state = Mutex(State())

    init(_ start: LibraryIndex.Start) { self.start = start }

    var key: StorageKey { start.order.key }

    var task: DownloadTask? { state.withLock { $0.task } }

    var isStopped: Bool { state.withLock { $0.stop != nil } }

    /// Whether what came is to be thrown away.
    var discards: Bool { state.withLock { $0.stop == false } }

    var hasClaimed: Bool { state.withLock { $0.hasClaimed } }

    /// It has the key, and its note is written.
    func claimed() {
        state.withLock { $0.hasClaimed = true }
        noted.set()
    }

    func stop(keeping: Bool) {
        let task = state.withLock { state in
            state.stop = keeping && state.stop != false
            return state.task
        }
        task?.end(keeping: keeping)
    }

    /// False where it was stopped before.
    func began(_ task: DownloadTask) -> Bool {
        state.withLock { state in
            state.task = task
            return state.stop == nil
        }
    }
}
