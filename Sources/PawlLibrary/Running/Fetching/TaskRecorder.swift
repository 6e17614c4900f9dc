internal import struct FoundationEssentials.Date
internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// Runs a task of a library's run to its end, and records its file.
struct TaskRecorder: Sendable {
    private let run: LibraryRun
    private let library: LibraryContext
    private let lock: KeyLock

    init(_ run: LibraryRun, _ library: LibraryContext, _ lock: KeyLock) {
        (self.run, self.library, self.lock) = (run, library, lock)
    }

    /// Runs a task to its end, and records its file.
    ///
    /// Returns `nil` if a file with the same bytes exists and belongs to somebody else: a key has
    /// its own file.
    func outcome(
        of task: DownloadTask,
        _ pending: PendingDownload
    ) async throws(DownloadError) -> LibraryIndex.RunOutcome? {
        guard run.began(task) else {
            await stop(task)
            return .stopped
        }
        task.resume()
        run.resumed.complete(with: task)
        await run.waitForEnd(of: task)
        if task.fileOutcome == nil { await stop(task) }
        switch task.fileOutcome {
        case nil: return .stopped
        case .success(let file):
            guard let known = try await record(file, task, pending) else { return nil }
            try await lock.removeNote()
            return .finished(known, wasFetched: true)
        case .failure(let error):
            if run.isStopped { return .stopped }
            if let loss = library.session.backgroundLoss { return .unreachable(loss) }
            // The daemon may have the download: its answer may have been lost.
            if library.identifier != nil, error.code == .daemonUnavailable {
                return .unreachable(error)
            }
            return .failed(error, reached: task.currentProgress.completedBytes)
        }
    }

    /// Stops a task that has not ended, because its run was stopped.
    private func stop(_ task: DownloadTask) async {
        if library.identifier == nil {
            task.end(keeping: true)
        } else if run.discards {
            task.cancel()
            await task.end.waitIgnoringCancellation()
        } else {
            await task.pause()
        }
    }

    /// Records the file.
    ///
    /// Returns `nil` if it existed before and is not the key's.
    private func record(
        _ file: DownloadedFile,
        _ task: DownloadTask,
        _ pending: PendingDownload
    ) async throws(DownloadError) -> KnownFile? {
        var record = FileRecord(
            key: pending.key,
            source: pending.url ?? task.originalRequest.url,
            byteCount: file.byteCount,
            modified: 0,
            finishedAt: Int64(Date().timeIntervalSince1970)
        )
        record.digest = file.verifiedDigest
        record.entityTag = task.response?.value("ETag").flatMap(EntityTag.init(lenient:))
        record.lastModified = task.response?.value("Last-Modified")?.sanitized
        record.mediaType = task.response?.mediaType
        let name = FilePath(file.path).lastComponent.map { ExactText($0.string) } ?? pending.name
        let (files, known, digests) = (library.files, record, library.configuration.keepsDigests)
        let isFromDaemon = library.identifier != nil
        return try await library.session.engine.digests.run { () throws(DownloadError) in
            if isFromDaemon { try files.requireFile(of: pending.key, at: file.path) }
            guard !file.wasAlreadyThere || files.isOwn(name, pending.key) else { return nil }
            return try files.note(known, on: name, digests: digests)
        }
    }
}
