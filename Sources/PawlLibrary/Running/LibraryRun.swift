internal import Pawl
internal import PawlCore
internal import Synchronization

/// One attempt at a library's download.
///
/// It waits for its turn, or has a task.
final class LibraryRun: Sendable {
    private struct State {
        var task: DownloadTask?
        /// The daemon's task that it follows, if the task was found before the run.
        var found: DownloadTask?
        /// Whether the received bytes are to be kept; set when the run is stopped.
        var stop: Bool?
        /// Whether it has locked the key.
        var hasLockedKey = false
    }

    let start: LibraryIndex.Start
    /// Set when its note is written, or cannot be.
    let noted = Completion<Void>()
    /// Set to its task when that was resumed, or to `nil` at its end.
    let resumed = Completion<DownloadTask?>()
    /// Set when the library has handled its end.
    let ended = Completion<Void>()
    private let state: Mutex<State>
    /// Wakes the run when the task of the daemon is to be paused.
    private let halt = Wakeup()

    init(_ start: LibraryIndex.Start, _ found: DownloadTask? = nil) {
        self.start = start
        state = Mutex(State(found: found))
    }

    var key: StorageKey { start.pending.key }

    var task: DownloadTask? { state.withLock { $0.task ?? $0.found } }

    /// The daemon's task that it follows, if the task was found before the run.
    var found: DownloadTask? { state.withLock { $0.found } }

    var isStopped: Bool { state.withLock { $0.stop != nil } }

    /// Whether the received bytes are to be deleted.
    var discards: Bool { state.withLock { $0.stop == false } }

    var hasLockedKey: Bool { state.withLock { $0.hasLockedKey } }

    /// Records that the run has locked the key and written its note.
    func keyLocked() {
        state.withLock { $0.hasLockedKey = true }
        noted.complete()
    }

    /// Stops the run.
    ///
    /// A task of the daemon does not end if its bytes are kept: the run pauses it.
    func stop(keeping: Bool) {
        let task = state.withLock { state in
            state.stop = keeping && state.stop != false
            return state.task ?? state.found
        }
        if keeping, task?.session.backgroundIdentifier != nil { return halt.send() }
        task?.end(keeping: keeping)
    }

    /// Waits until the task has ended, or the run is to pause it, even if this is called in a
    /// cancelled Swift task.
    func waitForEnd(of task: DownloadTask) async {
        guard task.session.backgroundIdentifier != nil else {
            return await task.end.waitIgnoringCancellation()
        }
        while !task.end.isComplete, !isStopped || discards {
            // A wait that heeds the cancellation would return at once, again and again.
            _ = await task.end.waitIgnoringCancellation(or: halt)
        }
    }

    /// Waits until the daemon has the download, or the run has ended.
    func waitForHandover() async {
        await resumed.waitIgnoringCancellation()?.waitForHandoverIgnoringCancellation()
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
