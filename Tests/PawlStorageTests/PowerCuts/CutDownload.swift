import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Consecutive downloads on a volume, each resumed after every power cut until it is complete.
struct CutDownload {
    private static let total: Int64 = 4 << 20
    private static let mostPieces = 60

    let volume: LoopVolume
    let style: CutWriter.Style
    /// How the store syncs.
    let settings: @Sendable (BootIdentity) -> StoreSettings
    /// The number of cuts after some bytes had been promised.
    private(set) var cutsWithPromises = 0
    /// The number of cuts after more had been written than promised.
    private(set) var cutsWithMore = 0
    private var number = 0
    private var boot = 1

    init(
        _ volume: LoopVolume,
        _ style: CutWriter.Style = .few,
        settings: @escaping @Sendable (BootIdentity) -> StoreSettings = { .on($0) }
    ) {
        self.volume = volume
        self.style = style
        self.settings = settings
    }

    private var paths: DownloadPaths {
        DownloadPaths(FilePath(volume.path).appending("disk.\(number).iso"))
    }

    private var content: ContentPattern { ContentPattern(seed: UInt64(number)) }

    /// The length of the checkpoint file, or 0 if there is none.
    var checkpointBytes: Int {
        var status = Glibc.stat()
        return stat(paths.checkpoint.string, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Leaves the download as it is and starts another.
    mutating func abandon() { number += 1 }

    /// Resumes the download until the power is cut at a random moment, and restarts the machine.
    ///
    /// Returns the promises that the cut broke.
    mutating func cutAndRecover(_ random: inout SplitMix64) async throws -> [BrokenPromise] {
        let ledger = try await writeAndCut(&random)
        cutsWithPromises += ledger.promised.isEmpty ? 0 : 1
        cutsWithMore += ledger.written == ledger.promised ? 0 : 1
        try volume.restart()
        boot += 1
        return try ledger.broken(paths, on: .numbered(boot), content)
    }

    private mutating func writeAndCut(_ random: inout SplitMix64) async throws -> WriteLedger {
        let (store, have) = try open()
        let writer = CutWriter(style, store, content, total: Self.total, have: have)
        let pieces = Int.random(in: 1...Self.mostPieces, using: &random)
        let pause = Duration.microseconds(Int.random(in: 0...4000, using: &random))
        async let writing: Void = writer.run(seed: random.next())
        await writer.progress.wait { $0.pieces >= pieces || $0.isOver }
        try await PowerCuts.linger(pause)
        let before = writer.progress.value
        #expect(before.failure == nil)
        try volume.shutDown()
        await writing
        var ledger = writer.progress.value.ledger
        // Nobody would have seen the result of a sync after the power cut.
        ledger.promised = before.ledger.promised
        return ledger
    }

    /// If the last download was complete, finishes it and starts the next.
    private mutating func open() throws -> (PartialStore, RangeSet) {
        if case .resumable(let store, let recovery) = try recover() {
            guard recovery.have.count == Self.total else { return (store, recovery.have) }
            let path = try store.finish(total: Self.total, policy: .fail).path
            #expect(try content.verify(fileAt: path.string, size: Self.total) == nil)
            #expect(unlink(path.string) == 0)
            number += 1
        }
        let store = try create()
        let beginning = style.beginning(of: Self.total)
        for range in beginning.ranges { try store.write(content, range) }
        if !beginning.isEmpty { try store.sync(written: beginning) }
        return (store, beginning)
    }

    private func recover() throws(DownloadError) -> RecoveredStore {
        try PartialRecovery.recover(paths, settings: settings(.numbered(boot)))
    }

    private func create() throws(DownloadError) -> PartialStore {
        try PartialCreation.create(
            paths,
            source: "https://example.com/disk.iso",
            representation: .sample(Self.total),
            settings: settings(.numbered(boot))
        )
    }
}
