import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import Synchronization
import SystemPackage
import Testing

/// A complete download that gets its final name while the power is cut.
struct CutFinish: Sendable {
    enum Policy: CaseIterable {
        /// For `fail` the name is free.
        ///
        /// For the others it is taken by a file.
        case fail, rename, overwrite
    }

    enum Moment: Hashable {
        case beforeSync, afterSync, afterReturn
        /// A time after the call.
        case after(Duration)
    }

    static let total: Int64 = 300_000

    let volume: LoopVolume
    let number: Int
    let policy: Policy
    /// Whether the partial file has a name, and its first half was synced.
    let isNamed: Bool
    /// How the store syncs.
    var settings = StoreSettings.on(.firstBoot)

    private var folder: FilePath {
        FilePath(volume.path).appending("\(number)").appending("deep")
    }
    private var paths: DownloadPaths { DownloadPaths(folder.appending("disk.iso")) }
    private var numbered: FilePath { folder.appending("disk.1.iso") }
    private var content: ContentPattern { ContentPattern(seed: UInt64(number)) }
    private var old: ContentPattern { ContentPattern(seed: ~UInt64(number)) }
    private var half: RangeSet { RangeSet((0, Self.total / 2)) }

    /// Returns the promises that the cut broke.
    func cut(at moment: Moment) async throws -> [BrokenPromise] {
        let isDone = try await finishAndCut(at: moment)
        try volume.restart()
        return try brokenNames(isDone: isDone) + brokenRest()
    }

    /// The duration of a finish without a cut.
    func time() async throws -> Duration {
        let store = try prepare(settings)
        let clock = SystemTimekeeper()
        let begin = clock.now()
        _ = try store.finish(total: Self.total, policy: finishPolicy)
        return clock.now() - begin
    }

    /// Returns whether the finish returned before the power cut.
    ///
    /// Nobody would have seen the result of a later call (XFS can still report a folder's sync as
    /// successful).
    private func finishAndCut(at moment: Moment) async throws -> Bool {
        let cut = SyncCut(volume, settings.syncAll)
        var settings = settings
        settings.syncAll = { cut.sync($0) }
        let store = try prepare(settings)
        cut.arm(moment)
        let policy = finishPolicy
        let isDone = Atomic(false)
        async let finishing: Void = PowerCuts.pool.run { () throws(DownloadError) in
            _ = try store.finish(total: Self.total, policy: policy)
            isDone.store(true, ordering: .sequentiallyConsistent)
        }
        if case .after(let time) = moment {
            try await PowerCuts.linger(time)
            let wasDone = isDone.load(ordering: .sequentiallyConsistent)
            try volume.shutDown()
            // A failure from here on is due to the cut.
            try? await finishing
            return wasDone
        }
        do {
            try await finishing
            #expect(moment == .afterReturn)
        } catch {
            #expect(moment != .afterReturn, "\(error)")
        }
        if moment == .afterReturn { try volume.shutDown() }
        return moment == .afterReturn
    }

    /// Prepares the store in a new folder, because a power cut may lose the folder, too.
    private func prepare(_ settings: StoreSettings) throws -> PartialStore {
        try FolderPreparation.prepare(folder)
        if policy != .fail { try putOldFile() }
        let store = try PartialCreation.create(
            paths,
            source: "https://example.com/disk.iso",
            representation: .sample(Self.total),
            settings: settings
        )
        try store.write(content, ByteRange(0, Self.total))
        if isNamed { try store.sync(written: half) }
        return store
    }

    private func putOldFile() throws {
        let file = try FileDescriptor.open(
            paths.final,
            .writeOnly,
            options: [.create, .exclusiveCreate],
            permissions: [.ownerReadWrite]
        )
        try file.closeAfter {
            _ = try file.writeAll(old.bytes(at: 0, count: Int(Self.total)))
            #expect(fsync(file.rawValue) == 0)
        }
        let folder = try FileDescriptor.open(folder, .readOnly)
        try folder.closeAfter { #expect(fsync(folder.rawValue) == 0) }
    }

    private var finishPolicy: FinishPolicy {
        let numbered = numbered
        switch policy {
        case .fail: return .fail
        case .rename: return .rename { _ in numbered }
        case .overwrite: return .overwrite
        }
    }

    private enum Found { case nothing, old, new, other }

    private func found(_ path: FilePath) throws -> Found {
        guard access(path.string, F_OK) == 0 else { return .nothing }
        let size = Self.total
        if try content.verify(fileAt: path.string, size: size) == nil { return .new }
        return try old.verify(fileAt: path.string, size: size) == nil ? .old : .other
    }

    private var target: FilePath { policy == .rename ? numbered : paths.final }

    private func brokenNames(isDone: Bool) throws -> [BrokenPromise] {
        let before: Found = policy == .overwrite ? .old : .nothing
        var broken = try broken(target, unless: isDone ? [.new] : [.new, before])
        if policy == .rename { broken += try self.broken(paths.final, unless: [.old]) }
        return broken
    }

    private func broken(_ path: FilePath, unless expected: Set<Found>) throws -> [BrokenPromise] {
        let found = try found(path)
        return expected.contains(found) ? [] : [.incomplete("\(path) is \(found)")]
    }

    /// If the file does not have its name, its synced half can be resumed.
    ///
    /// Otherwise there is nothing else.
    private func brokenRest() throws -> [BrokenPromise] {
        let hasBytes = try isNamed && found(target) != .new
        let ledger = WriteLedger(recovered: hasBytes ? half : RangeSet())
        return try ledger.broken(paths, on: .secondBoot, content)
    }
}

/// Cuts the power at a sync.
private final class SyncCut: Sendable {
    private let volume: LoopVolume
    private let realSync: @Sendable (Int32) -> Int32
    private let moment = Mutex(CutFinish.Moment?.none)

    init(_ volume: LoopVolume, _ realSync: @escaping @Sendable (Int32) -> Int32) {
        self.volume = volume
        self.realSync = realSync
    }

    func arm(_ moment: CutFinish.Moment) { self.moment.withLock { $0 = moment } }

    func sync(_ descriptor: Int32) -> Int32 {
        let moment = moment.withLock { $0 }
        if moment == .beforeSync { cut() }
        let result = realSync(descriptor)
        if moment == .afterSync { cut() }
        return result
    }

    private func cut() {
        do { try volume.shutDown() } catch { Issue.record(error) }
    }
}
