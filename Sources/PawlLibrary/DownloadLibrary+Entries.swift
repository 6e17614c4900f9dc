public import Pawl
public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// The library's state.
extension DownloadLibrary {
    /// All keys and their states, sorted by key.
    public var entries: [LibraryEntry] { entries(context.index.known()) }

    /// Returns what is known of one key; `nil` if nothing is known.
    public func entry(for key: StorageKey) -> LibraryEntry? {
        entries(context.index.known([key])).first
    }

    /// Whether the key's file exists as it was fetched.
    public func exists(_ key: StorageKey) -> Bool { finishedFile(for: key) != nil }

    /// Returns the key's file if it exists as it was fetched.
    ///
    /// It never starts a download.
    public func finishedFile(for key: StorageKey) -> LibraryFile? {
        guard let file = context.index.entry(key)?.file, !file.isChanged else { return nil }
        return LibraryFile(file, in: context.folder.string)
    }

    /// Returns the task that fetches a key now, with its progress, response and metrics.
    ///
    /// If the URL is replaced, another task follows.
    public func task(for key: StorageKey) -> DownloadTask? { context.index.run(of: key)?.task }

    /// Returns the number of callers that wait for a key's file.
    package func waiterCount(for key: StorageKey) -> Int {
        context.index.entry(key)?.download?.waiters ?? 0
    }

    private func entries(_ known: [StorageKey: SharedIndex.Known]) -> [LibraryEntry] {
        let hasDownloads = known.values.contains { $0.entry.download != nil }
        let owners = hasDownloads ? PendingOwners.current : PendingOwners()
        return known.sorted { $0.key.text < $1.key.text }
            .map { entry($0.key, $0.value.entry, $0.value.task, owners) }
    }

    private func entry(
        _ key: StorageKey,
        _ known: LibraryIndex.Entry,
        _ task: DownloadTask?,
        _ owners: PendingOwners
    ) -> LibraryEntry {
        let file = known.file.map { LibraryFile($0, in: context.folder.string) }
        guard let download = known.download else {
            let isChanged = known.file?.isChanged ?? false
            return LibraryEntry(
                key: key,
                state: isChanged ? .changed : .finished,
                file: file,
                source: nil,
                receivedBytes: file?.byteCount ?? 0,
                totalBytes: file?.byteCount
            )
        }
        var entry = LibraryEntry(
            key: key,
            state: state(download, task, owners),
            file: file,
            source: download.pending.url?.redacted
        )
        if let progress = task?.currentProgress {
            entry.receivedBytes = progress.completedBytes
            entry.totalBytes = progress.totalBytes
        } else if let left = CheckpointSummary.byteCounts(
            at: context.files.path(download.pending.name)
        ) {
            entry.receivedBytes = left.bytes
            entry.totalBytes = left.total
        }
        return entry
    }

    private func state(
        _ download: LibraryIndex.Download,
        _ task: DownloadTask?,
        _ owners: PendingOwners
    ) -> LibraryState {
        // The task itself may have been paused, even in the daemon.
        if download.run != nil { return task?.state == .paused ? .paused : .running }
        let note = PendingNote.path(of: download.pending.key, in: context.folder)
        if let owner = owners.owner(of: note) {
            return .runningElsewhere(processIdentifier: owner)
        }
        // The other download has ended without the file.
        if case .failed(let error) = download.phase, error.code != .alreadyRunning {
            return .failed(error)
        }
        // The daemon has it for another session, or for this one, which another process has.
        if download.pending.isInDaemon,
            !context.isInDaemon(download.pending) || context.session.backgroundLoss != nil
        {
            return .runningElsewhere(processIdentifier: nil)
        }
        return .paused
    }
}
