import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage

/// A download whose file changes on the server at about the time of a power cut.
struct CutReset: Sendable {
    enum Moment: Hashable {
        /// When the reset has returned, whatever happens then.
        case afterReturn
        /// A time after the call.
        case after(Duration)
        /// When some bytes of the new file are written and synced.
        case afterSync
    }

    private struct Progress: Sendable {
        var isReset = false
        var isOver = false
        /// The ledger of the new file.
        var ledger = WriteLedger()
    }

    private static let total: Int64 = 1 << 20
    private static let newTag = "\"v2\""

    let volume: LoopVolume
    let number: Int

    private var paths: DownloadPaths {
        DownloadPaths(FilePath(volume.path).appending("disk.\(number).iso"))
    }
    private var old: ContentPattern { ContentPattern(seed: UInt64(number)) }
    private var new: ContentPattern { ContentPattern(seed: ~UInt64(number)) }
    private var whole: ByteRange { ByteRange(0, Self.total) }

    /// Returns the promises that the cut broke.
    ///
    /// `part` of the new file is written.
    func cut(at moment: Moment, part: ByteRange) async throws -> [BrokenPromise] {
        let progress = try await resetAndCut(at: moment, part)
        try volume.restart()
        return try broken(progress)
    }

    private func resetAndCut(at moment: Moment, _ part: ByteRange) async throws -> Progress {
        let store = try PartialStore.sample(paths, total: Self.total)
        try store.write(old, whole)
        try store.sync(written: RangeSet(whole))
        let progress = Observed(Progress())
        async let resetting: Void = PowerCuts.pool.run { () throws(DownloadError) in
            defer { progress.update { $0.isOver = true } }
            try reset(store, part, progress)
        }
        switch moment {
        case .afterReturn: await progress.wait { $0.isReset || $0.isOver }
        case .after(let time): try await PowerCuts.linger(time)
        case .afterSync: await progress.wait { $0.isOver }
        }
        var before = progress.value
        try volume.shutDown()
        // A failure from here on is due to the cut.
        try? await resetting
        // Nobody would have seen the result of a call after the power cut.
        before.ledger.offered = progress.value.ledger.offered
        return before
    }

    private func reset(
        _ store: PartialStore,
        _ part: ByteRange,
        _ progress: Observed<Progress>
    ) throws(DownloadError) {
        try store.reset(representation: .sample(Self.total, tag: Self.newTag), source: "s")
        progress.update { $0.isReset = true }
        try store.write(new, part)
        try store.saveCheckpoint(written: RangeSet(part))
        progress.update { $0.ledger.offered.insert(part) }
        try store.sync(written: RangeSet(part))
        progress.update { $0.ledger.promised.insert(part) }
    }

    private func broken(_ progress: Progress) throws -> [BrokenPromise] {
        let found = try resume(paths, boot: .secondBoot)
        let recovery = found.recovery
        defer { found.store.close() }
        if recovery.representation.entityTag?.opaque == Self.newTag {
            return try progress.ledger.broken(by: recovery.have, in: paths.partial, new)
        }
        // Once the reset has returned, no old byte counts.
        var allowed = WriteLedger()
        if !progress.isReset { allowed.offered.insert(whole) }
        allowed.promised = progress.ledger.promised
        return try allowed.broken(by: recovery.have, in: paths.partial, old)
    }
}
