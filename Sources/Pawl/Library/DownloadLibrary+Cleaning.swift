public import PawlCore
internal import PawlStorage
internal import Synchronization

/// The result of cleaning a library.
public struct LibraryCleaning: Sendable, Hashable {
    /// The removed keys, in order.
    public fileprivate(set) var removed: [StorageKey] = []
    /// The total size of the removed files in bytes.
    public fileprivate(set) var removedBytes: Int64 = 0
    /// The number of remaining keys.
    public fileprivate(set) var remainingKeys = 0
    /// The total size of the remaining files in bytes.
    public fileprivate(set) var remainingBytes: Int64 = 0
    /// The keys that should have been removed and were not: fetched by another process, or not
    /// removable.
    public fileprivate(set) var kept: [StorageKey] = []
}

/// Sizes and cleaning.
extension DownloadLibrary {
    /// Returns the size of a key's file in bytes, or the number of bytes of its unfinished
    /// download; `nil` if there is nothing.
    ///
    /// - Throws: `DownloadError`.
    public func size(of key: StorageKey) async throws(DownloadError) -> Int64? {
        try await keeper.size(of: [key])[key]
    }

    /// Returns the total size of all keys in bytes.
    ///
    /// - Throws: `DownloadError`.
    public func size() async throws(DownloadError) -> Int64 {
        try await sizes().values.reduce(0, +)
    }

    /// Returns the size of each key in bytes.
    ///
    /// - Throws: `DownloadError`.
    public func sizes() async throws(DownloadError) -> [StorageKey: Int64] {
        try await keeper.size(of: nil)
    }

    /// Removes keys according to the policy: those that are too old, then the least recently used.
    ///
    /// A request counts as a use of its key. Keys that are being fetched are kept, and so are files
    /// that others have written to. Files without a key are neither counted nor removed.
    ///
    /// - Throws: `DownloadError`, with the code `.usage` for a library in the documents.
    @discardableResult
    public func clean(_ policy: CleaningPolicy) async throws(DownloadError) -> LibraryCleaning {
        try await requireCleanable()
        let (parts, plan, bytes) = try await keeper.plan(policy)
        var result = LibraryCleaning()
        for index in plan {
            let key = parts[index].key
            do throws(DownloadError) {
                try await keeper.remove(key)
                result.removed.append(key)
                result.removedBytes += bytes[index] ?? 0
            } catch {
                result.kept.append(key)
            }
        }
        let left = try await sizes()
        result.remainingKeys = left.count
        result.remainingBytes = left.values.reduce(0, +)
        return result
    }

    /// Removes these keys.
    ///
    /// - Throws: `DownloadError`.
    @discardableResult
    public func clean(_ keys: [StorageKey]) async throws(DownloadError) -> LibraryCleaning {
        var result = LibraryCleaning()
        for key in keys {
            let bytes = try await size(of: key)
            guard try await delete(key) else { continue }
            result.removed.append(key)
            result.removedBytes += bytes ?? 0
        }
        let left = try await sizes()
        result.remainingKeys = left.count
        result.remainingBytes = left.values.reduce(0, +)
        return result
    }
}

extension LibraryKeeper {
    /// Removes a key's file, unless somebody has written to it, and the files of an unfinished
    /// download.
    fileprivate func remove(_ key: StorageKey) async throws(DownloadError) {
        _ = try await cancel(key)
        guard let file = state.withLock({ $0.index.entries[key]?.file }), !file.isChanged else {
            return
        }
        _ = try await removeFile(of: key)
    }

    typealias Parts = (key: StorageKey, names: [String])

    fileprivate func size(
        of keys: [StorageKey]?
    ) async throws(DownloadError) -> [StorageKey: Int64] {
        let (known, runs) = state.withLock { state in
            (
                keys.map { keys in state.index.entries.filter { keys.contains($0.key) } }
                    ?? state.index.entries, state.runs
            )
        }
        let coming = known.compactMapValues { entry in
            entry.download?.run.flatMap { runs[$0]?.task?.currentProgress.completedBytes }
        }
        let files = files
        return try await disk.run { () throws(DownloadError) in
            var sizes: [StorageKey: Int64] = [:]
            for (key, entry) in known {
                var size: Int64 = 0
                if let name = entry.file?.name { size += try files.byteCount(name) ?? 0 }
                if let download = entry.download {
                    let left = CheckpointSummary.byteCounts(at: files.path(download.order.name))?
                        .bytes
                    size += coming[key] ?? left ?? 0
                }
                sizes[key] = size
            }
            return sizes
        }
    }

    fileprivate func plan(
        _ policy: CleaningPolicy
    ) async throws(DownloadError) -> ([Parts], [Int], [Int: Int64]) {
        let all = state.withLock { state in
            state.index.entries.filter { $0.value.download?.run == nil }
                .sorted { $0.key.text < $1.key.text }
                .map { key, entry -> Parts in
                    let unfinished = entry.download.map { LibraryFiles.parts(of: $0.order.name) }
                    // A changed file is somebody's work.
                    let file = entry.file.flatMap { $0.isChanged ? nil : $0.name }
                    return (key, [file].compactMap(\.self) + (unfinished ?? []))
                }
        }
        let (files, folder) = (files, folder)
        return try await disk.run { () throws(DownloadError) in
            let candidates = all.enumerated().compactMap {
                files.candidate($0.element.names, index: $0.offset)
            }
            let plan = CleaningPlan(
                candidates,
                policy: policy,
                now: CacheCleaner.currentTime,
                freeBytes: policy.minimumFreeBytes.flatMap { _ in CacheCleaner.freeBytes(in: folder)
                }
            )
            let bytes = Dictionary(uniqueKeysWithValues: candidates.map { ($0.index, $0.bytes) })
            return (all, plan.doomed, bytes)
        }
    }
}
