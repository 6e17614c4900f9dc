internal import Pawl
internal import PawlCore
internal import Synchronization

/// Starts a run of the library for each task of its background session that the daemon runs or has
/// finished: the run records the file.
///
/// It is the session's delegate. The session acknowledges an event to the daemon when the delegate
/// has returned. The delegate returns from the end of a download when a run has recorded it, so the
/// daemon keeps the end until then.
final class BackgroundTaskFollower: DownloadSessionDelegate {
    private struct State {
        weak var library: LibraryContext?
    }

    private let state = Mutex(State())
    /// Set when the library has its content, or could not be opened.
    private let begun = Completion<Void>()

    /// Starts a run for each unfinished key that the daemon fetches according to its note.
    ///
    /// If the daemon no longer has the download, the run reports that. Paused downloads stay paused.
    func begin(_ library: LibraryContext) async {
        // This waits until the daemon has reported the tasks of the session.
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

    /// Detaches from the session of a library that could not be opened.
    func giveUp(_ session: DownloadSession) async {
        begun.complete()
        await session.detach()
    }

    /// Returns the run that follows a task, and starts the run if necessary.
    ///
    /// Returns `nil` if the library has no such task, or there is nothing to record.
    private func run(of task: SessionTask) async -> LibraryRun? {
        await begun.waitIgnoringCancellation()
        guard let library = state.withLock({ $0.library }), !task.isHeld,
            library.session.backgroundLoss == nil, let description = task.taskDescription
        else { return nil }
        let (key, number) = (StorageKey(description), task.taskIdentifier)
        if let error = task.error {
            // A cancelled task has nothing to record, and the key may have another task by now.
            if error.code == .cancelled { return nil }
            // An earlier process may have recorded the failure without acknowledging its event. A
            // new run would only report the failure again, and a request for the key would join
            // this run instead of starting another attempt.
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
        // Another client of the daemon may have resumed the download. This is known only after the
        // missed events: of a download that was resumed and has failed since, they report first
        // that it was resumed.
        guard session.hasReportedMissedEvents else { return }
        _ = await run(of: downloadTask)
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async {
        await run(of: task)?.ended.waitIgnoringCancellation()
        // If the task ended just when its run was paused, the run has not recorded the file: then
        // another run does.
        guard case .success? = (task as? DownloadTask)?.fileOutcome else { return }
        await run(of: task)?.ended.waitIgnoringCancellation()
    }
}

extension SessionTask {
    /// Whether the task is paused or suspended.
    fileprivate var isHeld: Bool { state == .paused || state == .suspended }
}
