internal import Pawl
public import PawlCore
internal import PawlStorage

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
        try await sizes(of: [key])[key]
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
        try await sizes(of: nil)
    }

    /// Removes keys according to the policy: those that are too old, then the least recently used.
    ///
    /// A request counts as a use of its key. Keys that are being fetched are kept, and so are files
    /// that others have written to. Files without a key are neither counted nor removed.
    ///
    /// - Throws: `DownloadError`, with the code `.usage` for the places that `Places.clean` refuses,
    ///   such as `.documents` and `.applicationSupport`, and for a folder within the documents.
    @discardableResult
    public func clean(_ policy: CleaningPolicy) async throws(DownloadError) -> LibraryCleaning {
        try await requireCleanable()
        let (parts, plan, bytes) = try await plan(policy)
        var result = LibraryCleaning()
        for index in plan {
            let key = parts[index].key
            do throws(DownloadError) {
                try await deleteUnchanged(key)
                result.removed.append(key)
                result.removedBytes += bytes[index] ?? 0
            } catch {
                result.kept.append(key)
            }
        }
        try await count(in: &result)
        return result
    }

    /// Removes these keys as `delete(_:)` does, in every place: running downloads are cancelled, and
    /// files that are known to be changed are removed, too.
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
        try await count(in: &result)
        return result
    }

    private func count(in result: inout LibraryCleaning) async throws(DownloadError) {
        let left = try await sizes()
        result.remainingKeys = left.count
        result.remainingBytes = left.values.reduce(0, +)
    }

    /// Removes a key's file, unless somebody has written to it, and the files of an unfinished
    /// download.
    private func deleteUnchanged(_ key: StorageKey) async throws(DownloadError) {
        try await cancel(key)
        guard let file = context.index.entry(key)?.file, !file.isChanged else { return }
        _ = try await removeFile(of: key)
    }

    private typealias Parts = (key: StorageKey, names: [ExactText])

    private func sizes(
        of keys: [StorageKey]?
    ) async throws(DownloadError) -> [StorageKey: Int64] {
        let known = context.index.known(keys)
        let received = known.compactMapValues { $0.task?.currentProgress.completedBytes }
        let files = context.files
        return try await context.disk.run { () throws(DownloadError) in
            var sizes: [StorageKey: Int64] = [:]
            for (key, known) in known {
                var size: Int64 = 0
                if let name = known.entry.file?.name { size += try files.byteCount(name) ?? 0 }
                if let download = known.entry.download {
                    let left = CheckpointSummary.byteCounts(at: files.path(download.pending.name))?
                        .bytes
                    size += received[key] ?? left ?? 0
                }
                sizes[key] = size
            }
            return sizes
        }
    }

    private func plan(
        _ policy: CleaningPolicy
    ) async throws(DownloadError) -> ([Parts], [Int], [Int: Int64]) {
        let all = context.index.known().filter { $0.value.entry.download?.run == nil }
            .sorted { $0.key.text < $1.key.text }
            .map { key, known -> Parts in
                let unfinished = known.entry.download.map {
                    LibraryFiles.parts(of: $0.pending.name)
                }
                // A changed file contains somebody's work.
                let file = known.entry.file.flatMap { $0.isChanged ? nil : $0.name }
                return (key, [file].compactMap(\.self) + (unfinished ?? []))
            }
        let (files, folder) = (context.files, context.folder)
        return try await context.disk.run { () throws(DownloadError) in
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
