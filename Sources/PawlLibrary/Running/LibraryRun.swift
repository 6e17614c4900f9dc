internal import Pawl
internal import PawlCore
internal import Synchronization

/// One attempt at a library's download.
///
/// It waits for its turn, or has a task.
final class LibraryRun: Sendable {
    private struct State {
        var task: DownloadTask?
        /// Whether the received bytes are to be kept; set when the run is stopped.
        var stop: Bool?
        /// Whether it had the key.
        var hasClaimed = false
    }

    let start: LibraryIndex.Start
    /// Set when its note is written, or cannot be.
    let noted = Completion<Void>()
    /// Set when the library has handled its end.
    let ended = Completion<Void>()
    private let state = Mutex(State())

    init(_ start: LibraryIndex.Start) { self.start = start }

    var key: StorageKey { start.pending.key }

    var task: DownloadTask? { state.withLock { $0.task } }

    var isStopped: Bool { state.withLock { $0.stop != nil } }

    /// Whether the received bytes are to be deleted.
    var discards: Bool { state.withLock { $0.stop == false } }

    var hasClaimed: Bool { state.withLock { $0.hasClaimed } }

    /// Records that the run has the key and its note is written.
    func claimed() {
        state.withLock { $0.hasClaimed = true }
        noted.complete()
    }

    func stop(keeping: Bool) {
        let task = state.withLock { state in
            state.stop = keeping && state.stop != false
            return state.task
        }
        task?.end(keeping: keeping)
    }

    /// Records the run's task.
    ///
    /// Returns `false` if the run was stopped before.
    func began(_ task: DownloadTask) -> Bool {
        state.withLock { state in
            state.task = task
            return state.stop == nil
        }
    }
}
