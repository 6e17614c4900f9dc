public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage
internal import Synchronization

/// The library's state.
extension DownloadLibrary {
    /// All keys and their states, sorted by key.
    public var entries: [LibraryEntry] { keeper.entries() }

    /// Returns what is known of one key; `nil` if nothing is known.
    public func entry(for key: StorageKey) -> LibraryEntry? { keeper.entry(key) }

    /// Whether the key's file exists as it was fetched.
    public func exists(_ key: StorageKey) -> Bool { finishedFile(for: key) != nil }

    /// Returns the key's file if it exists as it was fetched.
    ///
    /// It never starts a download.
    public func finishedFile(for key: StorageKey) -> LibraryFile? {
        keeper.state.withLock { state in
            guard let file = state.index.entries[key]?.file, !file.isChanged else { return nil }
            return LibraryFile(file, in: keeper.folder.string)
        }
    }

    /// Returns the task that fetches a key now, with its progress, response and metrics.
    ///
    /// If the URL is replaced, another task follows.
    public func task(for key: StorageKey) -> DownloadTask? {
        keeper.state.withLock { state in
            state.index.entries[key]?.download?.run.flatMap { state.runs[$0]?.task }
        }
    }

    /// Returns the number of callers that wait for a key's file.
    package func waiterCount(for key: StorageKey) -> Int {
        keeper.state.withLock { $0.index.entries[key]?.download?.waiters ?? 0 }
    }
}

extension LibraryKeeper {
    fileprivate func entries() -> [LibraryEntry] {
        let (known, runs) = state.withLock { ($0.index.entries, $0.runs) }
        let owners =
            known.values.contains { $0.download != nil } ? PendingOwners.current : PendingOwners()
        return known.sorted { $0.key.text < $1.key.text }
            .map { entry($0.key, $0.value, runs, owners) }
    }

    fileprivate func entry(_ key: StorageKey) -> LibraryEntry? {
        let (known, runs) = state.withLock { ($0.index.entries[key], $0.runs) }
        guard let known else { return nil }
        let owners = known.download == nil ? PendingOwners() : PendingOwners.current
        return entry(key, known, runs, owners)
    }

    private func entry(
        _ key: StorageKey,
        _ known: LibraryIndex.Entry,
        _ runs: [LibraryIndex.RunID: LibraryRun],
        _ owners: PendingOwners
    ) -> LibraryEntry {
        let file = known.file.map { LibraryFile($0, in: folder.string) }
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
            state: state(download, owners),
            file: file,
            source: download.order.url?.redacted
        )
        if let task = download.run.flatMap({ runs[$0]?.task }) {
            let progress = task.currentProgress
            entry.receivedBytes = progress.completedBytes
            entry.totalBytes = progress.totalBytes
        } else if let left = CheckpointSummary.byteCounts(at: files.path(download.order.name)) {
            entry.receivedBytes = left.bytes
            entry.totalBytes = left.total
        }
        return entry
    }

    private func state(
        _ download: LibraryIndex.Download,
        _ owners: PendingOwners
    ) -> LibraryState {
        if download.run != nil { return .running }
        let note = PendingNote.path(of: download.order.key, in: folder)
        if let owner = owners.owner(of: note) {
            return .runningElsewhere(processIdentifier: owner)
        }
        // The other download has ended without the file.
        if case .failed(let error) = download.phase, error.code != .alreadyRunning {
            return .failed(error)
        }
        return .paused
    }
}
