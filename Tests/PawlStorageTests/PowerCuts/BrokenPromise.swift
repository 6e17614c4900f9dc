import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage

/// A promise that a power cut broke.
enum BrokenPromise: Hashable {
    /// Synced bytes are not recovered.
    case lost(ByteRange)
    /// Bytes are recovered for which no sync was requested.
    case believed(ByteRange)
    /// The recovered bytes differ from the written ones, from this offset.
    case wrong(at: Int64)
    /// The partial file is judged as another tool's.
    case disowned
    /// The file under a final name is neither the whole file nor the one before.
    case incomplete(String)
}

/// The changes to a partial file, and what the store has promised about it.
struct WriteLedger: Sendable {
    /// The ranges in the file.
    var written = RangeSet()
    /// The ranges for which a sync was requested, whether or not it has ended.
    var offered = RangeSet()
    /// The ranges whose sync has returned.
    var promised = RangeSet()

    init() {}

    /// A ledger for a later run: recovered ranges are durable.
    init(recovered: RangeSet) {
        written = recovered
        offered = recovered
        promised = recovered
    }

    /// Compares the ledger with what recovery returns on the next boot.
    func broken(
        by have: RangeSet,
        in file: FilePath,
        _ content: ContentPattern
    ) throws -> [BrokenPromise] {
        let lost = promised.ranges.filter { !have.contains($0) }
        let believed = have.ranges.filter { !offered.contains($0) }
        let wrong = try have.ranges.compactMap {
            try content.firstMismatch(inFileAt: file.string, range: $0)
        }
        return lost.map { .lost($0) } + believed.map { .believed($0) }
            + wrong.map { .wrong(at: $0) }
    }

    /// Recovers on another boot, compares, and closes the recovered store.
    func broken(
        _ paths: DownloadPaths,
        on boot: BootIdentity,
        _ content: ContentPattern
    ) throws -> [BrokenPromise] {
        switch try PartialRecovery.recover(paths, settings: .on(boot)) {
        case .foreignPartial:
            return [.disowned]
        case .nothing:
            return promised.ranges.map { .lost($0) }
        case .resumable(let store, let recovery):
            defer { store.close() }
            return try broken(by: recovery.have, in: paths.partial, content)
        }
    }
}
