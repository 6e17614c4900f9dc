internal import Pawl
internal import PawlCore
internal import Synchronization

/// Follows the tasks of a library's background session: a run of the library records what the
/// daemon downloads.
///
/// It is the session's delegate. An event counts as delivered when the delegate has returned, so
/// the daemon keeps the end of a download until a run has recorded it.
final class BackgroundKeys: DownloadSessionDelegate {
    private struct State {
        weak var library: LibraryContext?
    }

    private let state = Mutex(State())
    /// Set when the library has its content, or could not be opened.
    private let begun = Completion<Void>()

    /// Follows the downloads that the daemon has, and those that it had: their runs report that.
    ///
    /// Paused downloads stay paused.
    func begin(_ library: LibraryContext) async {
        // It waits until the tasks are known.
        _ = await library.session.allTasks
        state.withLock { $0.library = library }
        defer { begun.complete() }
        guard library.session.backgroundLoss == nil else { return }
        for (key, known) in library.index.known() {
            guard let pending = known.entry.download?.pending, library.isInDaemon(pending),
                let number = pending.background?.task
            else { continue }
            let task = library.session.knownTask(number)
            if task?.isHeld != true { _ = library.index.follow(key, number, task) }
        }
    }

    /// Leaves the session of a library that could not be opened.
    func giveUp(_ session: DownloadSession) async {
        begun.complete()
        await session.leave()
    }

    /// Returns the run that follows a task, which starts if necessary; `nil` if the task is not
    /// the library's, or nothing of it is to be recorded.
    private func run(of task: SessionTask) async -> LibraryRun? {
        await begun.waitIgnoringCancellation()
        guard let library = state.withLock({ $0.library }), !task.isHeld,
            library.session.backgroundLoss == nil, let description = task.taskDescription
        else { return nil }
        let (key, number) = (StorageKey(description), task.taskIdentifier)
        if let error = task.error {
            // Whoever cancels a task has no use for its run, which may have another task by now.
            if error.code == .cancelled { return nil }
            // An earlier process may have recorded the failure without acknowledging it. A run that
            // reports it again would take requests that mean another attempt.
            if library.index.entry(key)?.download?.pending.failure != nil { return nil }
        }
        return library.index.follow(key, number, task as? DownloadTask)
    }

    // MARK: - Events

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async {
        // Somebody may have resumed it in the daemon.
        _ = await run(of: downloadTask)
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async {
        await run(of: task)?.ended.waitIgnoringCancellation()
        // The task may have ended just when its run was left: then another run records its end.
        guard case .success? = (task as? DownloadTask)?.fileOutcome else { return }
        await run(of: task)?.ended.waitIgnoringCancellation()
    }
}

extension SessionTask {
    /// Whether the task is paused or suspended.
    fileprivate var isHeld: Bool { state == .paused || state == .suspended }
}
