internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// The source of the progress of several keys together.
final class KeysProgressSource: ProgressSource {
    /// The progress of a download that does not run: its checkpoint is read once after each run.
    private struct Left {
        var progress: DownloadProgress?
        /// The number of reports during which the download ran, and changed its checkpoint.
        var runningReports = 0
    }

    private let keys: [StorageKey]
    private let context: LibraryContext
    private let left: Mutex<[StorageKey: Left]> = Mutex([:])

    init(_ keys: Set<StorageKey>, _ context: LibraryContext) {
        self.keys = Array(keys)
        self.context = context
    }

    var engine: Engine { context.session.engine }

    var hasEnded: Bool { !context.index.known(keys).values.contains { $0.isFetched } }

    /// `nil`: the end of the last run is seen at the next report.
    var lastEnd: Completion<Void>? { nil }

    var currentProgress: TotalProgress {
        let known = context.index.known(keys)
        var total = TotalProgress()
        for key in keys {
            guard let known = known[key] else {
                total.add(DownloadProgress(), .failed)
                continue
            }
            let (progress, end) = progress(of: key, known)
            total.add(progress, end)
        }
        return total
    }

    private func progress(
        of key: StorageKey,
        _ known: SharedIndex.Known
    ) -> (DownloadProgress, TotalProgress.End?) {
        guard let download = known.entry.download else {
            var progress = DownloadProgress()
            progress.completedBytes = known.entry.file?.record.byteCount ?? 0
            progress.totalBytes = progress.completedBytes
            return (progress, known.entry.file == nil ? .failed : .finished)
        }
        let end: TotalProgress.End? = if case .failed = download.phase { .failed } else { nil }
        if let task = known.task {
            left.withLock { left in
                left[key, default: Left()].progress = nil
                left[key, default: Left()].runningReports += 1
            }
            return (task.currentProgress, end)
        }
        return (leftProgress(of: key, download.pending), end)
    }

    private func leftProgress(of key: StorageKey, _ pending: PendingDownload) -> DownloadProgress {
        let known = left.withLock { $0[key, default: Left()] }
        if let progress = known.progress { return progress }
        // The disk may be slow, so no lock is held.
        var progress = DownloadProgress()
        if let found = CheckpointSummary.byteCounts(at: context.files.path(pending.name)) {
            progress.completedBytes = found.bytes
            progress.totalBytes = found.total
        }
        left.withLock { left in
            // If the download has run meanwhile, its checkpoint has changed.
            guard left[key, default: Left()].runningReports == known.runningReports else { return }
            left[key, default: Left()].progress = progress
        }
        return progress
    }
}

extension SharedIndex.Known {
    /// Whether this library fetches the key now.
    fileprivate var isFetched: Bool { entry.download?.run != nil && task?.state != .paused }
}
