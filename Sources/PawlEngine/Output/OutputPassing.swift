internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// Reads the bytes of a download and writes them to its output, one caller at a time.
///
/// Bytes that were passed on no longer take up space.
final class OutputPassing: Sendable {
    /// Bytes to pass on: those of the store before `end`.
    struct Part: Sendable {
        var store: any TargetStore
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
    private func dropStep(before offset: Int64, of store: any TargetStore) {
        // A response is compared with the bytes before its own.
        let end = offset / Self.stepBytes * Self.stepBytes - Seam.leadBytes
        store.drop(ByteRange(max(0, end - Self.stepBytes), end))
    }

    private func check() throws(DownloadError) {
        if hasEnded.load(ordering: .relaxed) { throw CancellationToken.cancelled }
        try stop.check()
    }
}
