public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// The result of a verification.
public struct LibraryVerification: Sendable, Hashable {
    /// The keys whose files are as they were fetched.
    public fileprivate(set) var intact: [StorageKey] = []
    /// The faults, sorted by key.
    public fileprivate(set) var faults: [LibraryFault] = []
    /// The keys whose files had no digest.
    ///
    /// They have one from now on.
    public fileprivate(set) var newlyDigested: [StorageKey] = []
}

/// Detecting damage.
extension DownloadLibrary {
    /// Checks whether finished files are still as they were fetched.
    ///
    /// By default all bytes are read, which detects damage of any kind; otherwise the size and the
    /// modification time are compared. A key with a fault gets the state `.changed`:
    /// `refetch(_:from:)` replaces its file, and requesting the key fetches another file beside it.
    /// Cancelling the task ends the verification.
    ///
    /// - Throws: `DownloadError` if it was ended early.
    public func verify(
        _ keys: [StorageKey]? = nil,
        reading: Bool = true
    ) async throws(DownloadError) -> LibraryVerification {
        let stop = CancellationToken()
        let result = await withTaskCancellationHandler {
            await keeper.verify(keys, reading, stop)
        } onCancel: {
            stop.cancel()
        }
        return try result.get()
    }
}

extension LibraryKeeper {
    fileprivate func verify(
        _ keys: [StorageKey]?,
        _ reading: Bool,
        _ stop: CancellationToken
    ) async -> Result<LibraryVerification, DownloadError> {
        let known = state.withLock { state in
            state.index.entries.keys.filter { keys?.contains($0) ?? true }
        }
        var verification = LibraryVerification()
        for key in known.sorted(by: { $0.text < $1.text }) {
            do throws(DownloadError) {
                for _ in 0..<Self.mostLooks {
                    guard let file = settled(key) else { break }
                    let result = try await check(file, reading, stop)
                    if try await note(result, of: file, &verification) { break }
                }
            } catch {
                return .failure(error)
            }
        }
        return .success(verification)
    }

    /// The number of attempts for a file that is constantly written to.
    ///
    /// After that, it is left to the next verification.
    private static let mostLooks = 4

    /// Returns the key's file as it is now, if nobody is about to replace it.
    private func settled(_ key: StorageKey) -> KnownFile? {
        state.withLock { state in
            state.index.entries[key].flatMap { $0.download?.run == nil ? $0.file : nil }
        }
    }

    private func check(
        _ file: KnownFile,
        _ reading: Bool,
        _ stop: CancellationToken
    ) async throws(DownloadError) -> LibraryCheck.Result {
        let folder = folder
        return try await session.engine.digests.run { () throws(DownloadError) in
            try LibraryCheck(file, in: folder).run(reads: reading) { () throws(DownloadError) in
                try stop.check()
            }
        }
    }

    /// Records the result.
    ///
    /// Returns `false` if the file, or what is known of it, has changed meanwhile.
    private func note(
        _ result: LibraryCheck.Result,
        of file: KnownFile,
        _ verification: inout LibraryVerification
    ) async throws(DownloadError) -> Bool {
        let (files, key) = (files, file.record.key)
        switch result {
        case .unsettled:
            try await disk.run { () throws(DownloadError) in try self.refresh(key) }
            return false
        case .intact:
            guard settled(key) == file else { return false }
            verification.intact.append(key)
        case .missing:
            // The file may have another name now.
            try await disk.run { () throws(DownloadError) in try self.refresh(key) }
            guard state.withLock({ $0.index.entries[key]?.file }) == nil else { return false }
            found(.missing, file, &verification)
        case .renewed(let renewed):
            guard settled(key) == file,
                try await disk.run({ () throws(DownloadError) in try files.renew(renewed) })
            else { return false }
            changed(key) { $0.handle(.renewed(renewed, before: file)) }
            guard settled(key) == renewed else { return false }
            if file.record.digest == nil { verification.newlyDigested.append(key) }
            verification.intact.append(key)
        case .fault(let kind, let stamp):
            guard settled(key) == file else { return false }
            var damaged = file
            damaged.stamp = stamp
            damaged.isChanged = true
            if case .damaged = kind {
                let damaged = damaged
                guard
                    try await disk.run({ () throws(DownloadError) in
                        try files.noteDamage(damaged)
                    })
                else { return false }
            }
            changed(key) { [damaged] in $0.handle(.renewed(damaged, before: file)) }
            found(kind, file, &verification)
        }
        return true
    }

    private func found(
        _ kind: LibraryFault.Kind,
        _ file: KnownFile,
        _ verification: inout LibraryVerification
    ) {
        let fault = LibraryFault(key: file.record.key, name: file.name, kind: kind)
        verification.faults.append(fault)
        tell(.damageFound(fault))
    }
}
