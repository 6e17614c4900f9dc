internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Passes the bytes of a download on to its output, up to the frontier.
///
/// If a digest is expected, the last bytes are passed on only when the digest of the whole file is
/// right.
final class OutputFeed: Sendable {
    /// The number of bytes that are withheld until the digest is right.
    private static let withheldBytes: Int64 = 64 * 1024

    private let passing: OutputPassing
    private let digests: FileDigester
    private let pool: BlockingPool
    private let worker: LatestRequestWorker<OutputPassing.Part>
    private let begun = Atomic<Bool>(false)

    init(
        _ passing: OutputPassing,
        _ digests: FileDigester,
        pool: BlockingPool,
        moved: @escaping @Sendable (DownloadError?) -> Void
    ) {
        (self.passing, self.digests, self.pool) = (passing, digests, pool)
        worker = LatestRequestWorker(pool: pool) {
            (part: OutputPassing.Part) throws(DownloadError) in
            try passing.pass(part, moved: { moved(nil) })
        } done: { _, failure in
            moved(failure)
        }
    }

    /// Throws if bytes were passed on: then the download cannot start over.
    func checkNotBegun() throws(DownloadError) {
        guard begun.load(ordering: .relaxed) else { return }
        throw DownloadError(
            .keepsChanging,
            "the download must start over, but its first bytes were already written to the output",
            advice: "discard what was written, and \(.runAgain)"
        )
    }

    /// Passes on the bytes up to the frontier, in parallel with the driver.
    func follow(_ frontier: Int64, in store: PartialStore) {
        let end = digests.expected == nil ? frontier : frontier - Self.withheldBytes
        guard end > passing.offset else { return }
        begun.store(true, ordering: .relaxed)
        worker.follow(OutputPassing.Part(store: store, end: end))
    }

    /// Passes on the rest of a complete file, and removes it.
    func finish(_ total: Int64, in store: PartialStore) async throws(DownloadError) {
        await worker.finish()
        let passing = passing
        try await pool.run { () throws(DownloadError) in
            try passing.pass(OutputPassing.Part(store: store, end: total)) {}
            try store.discard()
        }
    }

    /// Passes on nothing more; returns when nothing is being written.
    func end() async {
        passing.end()
        await worker.finish()
    }
}

/// Reads the bytes of a download and writes them to its output, one caller at a time.
///
/// Bytes that were passed on no longer take up space.
final class OutputPassing: Sendable {
    /// Bytes to pass on: those of the store before `end`.
    struct Part: Sendable {
        var store: PartialStore
        var end: Int64
    }

    /// The number of bytes that are read and written at once.
    private static let pieceBytes: Int64 = 256 * 1024
    /// The number of bytes after which their space is freed, and waiting transfers may continue.
    private static let stepBytes: Int64 = 1 << 20

    private let output: OrderedOutput
    private let reader: ReaderPosition
    private let digests: FileDigester
    private let stop: CancellationToken
    private let hasEnded = Atomic<Bool>(false)

    init(
        _ output: OrderedOutput,
        _ reader: ReaderPosition,
        _ digests: FileDigester,
        _ stop: CancellationToken
    ) {
        (self.output, self.reader, self.digests, self.stop) = (output, reader, digests, stop)
    }

    /// The number of bytes that were passed on.
    var offset: Int64 { reader.offset }

    func end() { hasEnded.store(true, ordering: .relaxed) }

    /// Passes on a part; it blocks while the reader takes nothing.
    ///
    /// `moved` is called after each step.
    func pass(_ part: Part, moved: () -> Void) throws(DownloadError) {
        let buffer = PieceBuffer(count: Int(Self.pieceBytes))
        while offset < part.end {
            try check()
            let start = offset
            let end = min(part.end, start + Self.pieceBytes)
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<Int(end - start)])
            guard try part.store.read(into: piece, at: start) == piece.count else {
                throw DownloadError(
                    .diskFailure,
                    "\(output.temporaryPath) is shorter than the data written to it",
                    advice: "\(.runAgain)"
                )
            }
            // These bytes do not stay.
            try digests.read(to: end, in: part.store)
            try output.write(UnsafeRawBufferPointer(piece), check)
            reader.advance(to: end)
            guard end / Self.stepBytes > start / Self.stepBytes else { continue }
            dropStep(before: end, of: part.store)
            moved()
        }
    }

    /// Frees the space of the last whole step before an offset.
    private func dropStep(before offset: Int64, of store: PartialStore) {
        // A response is compared with the bytes before its own.
        let end = offset / Self.stepBytes * Self.stepBytes - Seam.leadBytes
        store.drop(ByteRange(max(0, end - Self.stepBytes), end))
    }

    private func check() throws(DownloadError) {
        if hasEnded.load(ordering: .relaxed) { throw CancellationToken.cancelled }
        try stop.check()
    }
}

extension FinishedName {
    /// The name of bytes that were passed on to an output.
    static let output = FinishedName(path: "-")
}
