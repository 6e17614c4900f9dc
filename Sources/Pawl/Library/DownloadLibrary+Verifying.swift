public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// What a verification found.
public struct LibraryVerification: Sendable, Hashable {
    /// The keys whose files are what was fetched.
    public fileprivate(set) var intact: [StorageKey] = []
    /// What is wrong, in the order of the keys.
    public fileprivate(set) var faults: [LibraryFault] = []
    /// The keys whose files had no digest: they have one from now on.
    public fileprivate(set) var newlyDigested: [StorageKey] = []
}

/// Finding damage.
extension DownloadLibrary {
    /// Looks whether finished files are still what was fetched.
    ///
    /// Reading all bytes, which is the default, finds damage of any kind; else the size and the time of
    /// the last change count. A key with a fault has the state `.changed`: `refetch(_:from:)` replaces its
    /// file, asking for it fetches another one beside it. Cancelling the task ends it.
    ///
    /// - Throws: `DownloadError` where it was ended early.
    public func verify(
        _ keys: [StorageKey]? = nil,
        reading: Bool = true
    ) async throws(DownloadError) -> LibraryVerification {
        let stop = MoveStop()
        let result = await withTaskCancellationHandler {
            await keeper.verify(keys, reading, stop)
        } onCancel: {
            stop.set()
        }
        return try result.get()
    }
}

extension LibraryKeeper {
    fileprivate func verify(
        _ keys: [StorageKey]?,
        _ reading: Bool,
        _ stop: MoveStop
    ) async -> Result<LibraryVerification, DownloadError> {
        let known = state.withLock { state in
            state.index.entries.filter { keys?.contains($0.key) ?? true }
                .compactMapValues { $0.download?.run == nil ? $0.file : nil }
        }
        var verification = LibraryVerification()
        for (key, file) in known.sorted(by: { $0.key.text < $1.key.text }) {
            do throws(DownloadError) {
                switch try await check(file, reading, stop) {
                case .intact: verification.intact.append(key)
                case .renewed(let record, let stamp):
                    if file.record.digest == nil { verification.newlyDigested.append(key) }
                    verification.intact.append(key)
                    try await renew(file, record, stamp)
                case .fault(let kind):
                    let fault = LibraryFault(key: key, name: file.name, kind: kind)
                    verification.faults.append(fault)
                    try await note(fault, of: file)
                }
            } catch {
                return .failure(error)
            }
        }
        return .success(verification)
    }

    private func check(
        _ file: KnownFile,
        _ reading: Bool,
        _ stop: MoveStop
    ) async throws(DownloadError) -> LibraryCheck.Result {
        let folder = folder
        return try await session.engine.digests.run { () throws(DownloadError) in
            try LibraryCheck(file, in: folder).run(reads: reading) { () throws(DownloadError) in
                try stop.check()
            }
        }
    }

    /// The bytes are right: what is kept of them may not have been.
    private func renew(
        _ file: KnownFile,
        _ record: FileRecord,
        _ stamp: FileStamp
    ) async throws(DownloadError) {
        let path = files.path(file.name)
        _ = try await disk.run { () throws(DownloadError) in
            try RecordStore.write(record, for: path)
        }
        let renewed = KnownFile(name: file.name, record: record, stamp: stamp)
        changed { $0.handle(.recorded(renewed)) }
    }

    private func note(_ fault: LibraryFault, of file: KnownFile) async throws(DownloadError) {
        let files = files
        switch fault.kind {
        case .missing: changed { $0.handle(.folderChanged([.removed(file.name)], [:])) }
        case .changed, .damaged, .unreadable:
            if case .damaged = fault.kind {
                try await disk.run { () throws(DownloadError) in files.noteDamage(file) }
            }
            var damaged = file
            damaged.isChanged = true
            changed { $0.handle(.recorded(damaged)) }
        }
        tell(.damageFound(fault))
    }
}
