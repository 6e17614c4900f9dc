import PawlCore
import PawlStorage
import PawlTesting

/// Writes a file in random pieces, claims and syncs them, until everything is durable or the disk
/// refuses.
///
/// The syncs run concurrently, as in the engine.
struct CutWriter: Sendable {
    struct Progress: Sendable {
        var ledger = WriteLedger()
        var pieces = 0
        /// The number of pieces when the last sync that has returned started.
        var syncedPieces = 0
        var isWritten = false
        var isOver = false
        var failure: DownloadError?
    }

    /// The pieces that are written.
    enum Style: Sendable {
        /// From none to some tens, which merge.
        case few
        /// Hundreds exist, and more are added apart from them: the checkpoint outgrows its first
        /// size.
        case scattered
    }

    private static let mostUnsyncedPieces = 20

    let style: Style
    let store: PartialStore
    let content: ContentPattern
    let total: Int64
    let progress: Observed<Progress>

    init(
        _ style: Style,
        _ store: PartialStore,
        _ content: ContentPattern,
        total: Int64,
        have: RangeSet
    ) {
        self.style = style
        self.store = store
        self.content = content
        self.total = total
        var progress = Progress()
        progress.ledger = WriteLedger(recovered: have)
        self.progress = Observed(progress)
    }

    func run(seed: UInt64) async {
        async let syncing: Void = sync()
        await write(seed: seed)
        await syncing
        progress.update { $0.isOver = true }
    }

    private func write(seed: UInt64) async {
        var random = SplitMix64(seed: seed)
        while let piece = piece(&random) {
            let most = Int.random(in: 1...Self.mostUnsyncedPieces, using: &random)
            let now = await progress.wait {
                $0.pieces - $0.syncedPieces < most || $0.failure != nil
            }
            guard now.failure == nil else { return }
            let isClaimed = Bool.random(using: &random)
            await attempt { () throws(DownloadError) in
                try store.write(content, piece)
                let written = progress.update { progress in
                    progress.ledger.written.insert(piece)
                    progress.pieces += 1
                    return progress.ledger.written
                }
                if isClaimed { try store.saveCheckpoint(written: written) }
            }
        }
        progress.update { $0.isWritten = true }
    }

    private func sync() async {
        var synced = 0
        while true {
            let before = synced
            let now = await progress.wait {
                $0.pieces > before || $0.isWritten || $0.failure != nil
            }
            guard now.failure == nil, now.pieces > synced else { return }
            let (ranges, pieces) = progress.update { progress in
                progress.ledger.offered.formUnion(progress.ledger.written)
                return (progress.ledger.written, progress.pieces)
            }
            await attempt { () throws(DownloadError) in
                try store.sync(written: ranges)
                progress.update { progress in
                    progress.ledger.promised.formUnion(ranges)
                    progress.syncedPieces = pieces
                }
            }
            synced = pieces
        }
    }

    private func piece(_ random: inout SplitMix64) -> ByteRange? {
        let gaps = progress.value.ledger.written.gaps(in: ByteRange(0, total)).ranges
        let isApart = style == .scattered || Bool.random(using: &random)
        let gap =
            style == .scattered
            ? gaps.max { $0.count < $1.count } : gaps.randomElement(using: &random)
        guard let gap else { return nil }
        let start = isApart ? Int64.random(in: gap.start..<gap.end, using: &random) : gap.start
        let length = Int64.random(in: 1...style.longestPiece, using: &random)
        return ByteRange(start, min(gap.end, start + length))
    }

    private func attempt(_ work: @escaping @Sendable () throws(DownloadError) -> Void) async {
        do throws(DownloadError) {
            try await PowerCuts.pool.run(work)
        } catch {
            progress.update { $0.failure = $0.failure ?? error }
        }
    }
}

extension CutWriter.Style {
    fileprivate var longestPiece: Int64 {
        switch self {
        case .few: 192 * 1024
        case .scattered: 2 * 1024
        }
    }

    /// The ranges that exist and are durable from the start.
    func beginning(of total: Int64) -> RangeSet {
        switch self {
        case .few: RangeSet()
        // Slots of 16 KiB hold about 330 ranges, of written and of durable ones each.
        case .scattered:
            RangeSet(
                stride(from: Int64(0), to: total - 512, by: Int(total / 310)).map {
                    ByteRange($0, $0 + 512)
                }
            )
        }
    }
}

extension PartialStore {
    /// Writes the content's bytes of a range at their offset.
    func write(_ content: ContentPattern, _ range: ByteRange) throws(DownloadError) {
        let bytes = content.bytes(at: range.start, count: Int(range.count))
        // The array's method loses the closure's error type.
        var failure: DownloadError?
        bytes.withUnsafeBytes { raw in
            do throws(DownloadError) { try write(raw, at: range.start) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
