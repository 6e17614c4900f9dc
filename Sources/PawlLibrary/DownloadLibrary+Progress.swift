public import Pawl
public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// The progress of several keys together.
extension DownloadLibrary {
    /// Returns the progress of several keys together, about ten times per second, until this library
    /// fetches none of them.
    ///
    /// ```swift
    /// try library.start("intro", from: url)
    /// try library.start("credits", from: other)
    /// for await total in library.progress(of: ["intro", "credits"]) {
    ///     print("\(total.finishedCount) of \(total.taskCount)", total.fraction ?? 0)
    /// }
    /// ```
    ///
    /// Keys whose files exist count as finished, and keys of which nothing is known, such as those
    /// of cancelled downloads, as failed. A paused download counts with the bytes that it has. Start
    /// the downloads before you read the progress; it does not start them.
    public func progress(of keys: some Sequence<StorageKey>) -> ProgressUpdates<TotalProgress> {
        ProgressUpdates(KeySet(Set(keys), context))
    }
}

/// The progress of some keys.
private final class KeySet: ProgressSource {
    private let keys: [StorageKey]
    private let context: LibraryContext
    /// What the checkpoints of downloads that do not run contain: they are read once.
    private let left: Mutex<[StorageKey: DownloadProgress]> = Mutex([:])

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
            left.withLock { $0[key] = nil }
            return (task.currentProgress, end)
        }
        return (leftProgress(of: key, download.pending), end)
    }

    private func leftProgress(of key: StorageKey, _ pending: PendingDownload) -> DownloadProgress {
        left.withLock { left in
            if let progress = left[key] { return progress }
            var progress = DownloadProgress()
            if let found = CheckpointSummary.byteCounts(at: context.files.path(pending.name)) {
                progress.completedBytes = found.bytes
                progress.totalBytes = found.total
            }
            left[key] = progress
            return progress
        }
    }
}

extension SharedIndex.Known {
    /// Whether this library fetches the key now.
    fileprivate var isFetched: Bool { entry.download?.run != nil && task?.state != .paused }
}
