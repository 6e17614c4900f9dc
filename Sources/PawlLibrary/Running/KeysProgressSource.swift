internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// The source of the progress of several keys together.
final class KeysProgressSource: ProgressSource {
    /// The progress of a download that does not run: its checkpoint is read once after each run.
    private struct Left: Sendable {
        var progress: DownloadProgress
        /// The last run that had ended before the checkpoint was read.
        var lastEnd: LibraryIndex.RunID?
    }

    private let keys: [StorageKey]
    private let context: LibraryContext
    private let left: Mutex<[StorageKey: Left]> = Mutex([:])

    init(_ keys: Set<StorageKey>, _ context: LibraryContext) {
        self.keys = Array(keys)
        self.context = context
    }

    var engine: Engine { context.session.engine }

    /// `nil`: the end of the last run is seen at the next report.
    var lastEnd: Completion<Void>? { nil }

    func report() async -> (value: TotalProgress, isLast: Bool) {
        let known = context.index.known(keys)
        await readCheckpoints(known)
        var total = TotalProgress()
        for key in keys {
            guard let known = known[key] else {
                total.add(DownloadProgress(), .failed)
                continue
            }
            let (progress, end) = progress(of: key, known)
            total.add(progress, end)
        }
        return (total, !known.values.contains { $0.isFetched })
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
        let progress = known.task?.currentProgress ?? left.withLock { $0[key]?.progress }
        return (progress ?? DownloadProgress(), end)
    }

    /// Reads the checkpoints that are not known, on the library's threads for disks.
    private func readCheckpoints(_ known: [StorageKey: SharedIndex.Known]) async {
        let missing = left.withLock { left in
            known.compactMap { (key, known) -> (key: StorageKey, name: ExactText)? in
                guard known.task == nil, let pending = known.entry.download?.pending else {
                    return nil
                }
                if let read = left[key], read.lastEnd == known.lastEnd { return nil }
                return (key, pending.name)
            }
        }
        guard !missing.isEmpty else { return }
        let files = context.files
        // This fails only if the library was closed; then the last known progress counts.
        let read = try? await context.disk.run { () throws(DownloadError) in
            missing.map { key, name in
                var progress = DownloadProgress()
                if let found = CheckpointSummary.byteCounts(at: files.path(name)) {
                    progress.completedBytes = found.bytes
                    progress.totalBytes = found.total
                }
                return (key, progress)
            }
        }
        left.withLock { left in
            for (key, progress) in read ?? [] {
                left[key] = Left(progress: progress, lastEnd: known[key]?.lastEnd)
            }
        }
    }
}

extension SharedIndex.Known {
    /// Whether this library fetches the key now.
    fileprivate var isFetched: Bool { entry.download?.run != nil && task?.state != .paused }
}
