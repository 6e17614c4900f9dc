import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage

/// What a power cut must not do, and did.
enum BrokenPromise: Hashable {
    /// Bytes that were synced are not given back.
    case lost(ByteRange)
    /// Bytes are given back of which no sync was asked for.
    case believed(ByteRange)
    /// The bytes given back differ from those that were written, from there on.
    case wrong(at: Int64)
    /// The partial file is taken for another tool's.
    case disowned
    /// What is under a final name is neither the whole file nor what was there before.
    case incomplete(String)
}

/// What was done to a partial file, and what the store has promised of it.
struct WriteLedger: Sendable {
    /// What is in the file.
    var written = RangeSet()
    /// A sync of these was asked for; it may or may not have come to its end.
    var offered = RangeSet()
    /// A sync of these has returned.
    var promised = RangeSet()

    init() {}

    /// A later run: what was recovered is durable.
    init(recovered: RangeSet) {
        written = recovered
        offered = recovered
        promised = recovered
    }

    /// Compares with what recovery on the next boot gives back.
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

    /// Recovers on another boot, compares, and lets go of what was recovered.
    func broken(
        _ paths: DownloadPaths,
        on boot: BootIdentity,
        _ content: ContentPattern
    ) throws -> [BrokenPromise] {
        switch try PartialStore.recover(paths, settings: .on(boot)) {
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
