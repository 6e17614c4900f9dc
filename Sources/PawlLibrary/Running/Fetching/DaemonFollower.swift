internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage

/// Follows the daemon's download of a run's key, and records the file that the daemon has finished.
struct DaemonFollower: Sendable {
    private let run: LibraryRun
    private let library: LibraryContext
    private let lock: KeyLock
    private let recorder: TaskRecorder

    init(
        _ run: LibraryRun,
        _ library: LibraryContext,
        _ lock: KeyLock,
        _ recorder: TaskRecorder
    ) {
        (self.run, self.library, self.lock, self.recorder) = (run, library, lock, recorder)
    }

    /// Follows the daemon's download to its end.
    ///
    /// Returns `nil` if another download must take its place.
    func outcome(
        _ pending: PendingDownload
    ) async throws(DownloadError) -> LibraryIndex.RunOutcome? {
        guard let background = pending.background else { return nil }
        var task = run.found
        if task == nil {
            do throws(DownloadError) {
                task = try await library.session.backgroundTask(background.task)
            } catch {
                return .unreachable(error)
            }
        }
        if let task, background.isOutdated, !run.isStopped {
            _ = await task.cancelByProducingResumeData()
            return nil
        }
        if let task, let end = try await recorder.outcome(of: task, pending) { return end }
        if let file = try await Self.record(pending, lock, library) {
            return .finished(file, wasFetched: true)
        }
        let isRequested = library.index.entry(run.key)?.download?.isRequested ?? false
        guard !isRequested || run.isStopped else { return nil }
        throw DownloadError(
            .cancelled,
            "the daemon does not have the download of '\(run.key.text.sanitized(atMost: 100))'",
            advice: "request it again: it continues from the bytes received so far"
        )
    }

    /// Records the file of a download that the daemon has finished for another session.
    ///
    /// Returns `nil` if the download is not in such a session, not finished, or already recorded.
    static func recordForOtherSession(
        _ pending: PendingDownload,
        _ library: LibraryContext
    ) async throws(DownloadError) -> KnownFile? {
        guard pending.isInDaemon, !library.isInDaemon(pending),
            let (lock, noted) = try await KeyLock.take(pending.key, in: library)
        else { return nil }
        defer { lock.release() }
        return try await record(noted, lock, library)
    }

    /// Records a file that the daemon has finished; returns `nil` if there is none without a
    /// record.
    private static func record(
        _ pending: PendingDownload,
        _ lock: KeyLock,
        _ library: LibraryContext
    ) async throws(DownloadError) -> KnownFile? {
        let (files, digests) = (library.files, library.configuration.keepsDigests)
        let file = try await library.session.engine.digests.run { () throws(DownloadError) in
            guard let record = LibraryScan(files.folder).finished(pending)?.record else {
                return KnownFile?.none
            }
            return try files.note(record, on: pending.name, digests: digests)
        }
        guard let file else { return nil }
        try await lock.removeNote()
        return file
    }
}
