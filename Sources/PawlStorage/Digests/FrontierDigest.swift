package import PawlCore
internal import Synchronization

/// Computes the digest of a file that is still being received.
///
/// It follows the frontier, the end of the bytes that are on disk without a gap from the file's
/// start, while these bytes are in the page cache.
package final class FrontierDigest: Sendable {
    /// The size of a piece: large enough that a call costs little, and small enough for the
    /// processor's cache.
    private static let pieceLength = 256 * 1024

    /// Reads bytes at an offset, which may be called on any thread; fewer than requested only at
    /// the end.
    package typealias Reader =
        @Sendable (UnsafeMutableRawBufferPointer, Int64) throws(DownloadError) -> Int

    package let algorithm: DigestAlgorithm
    private let place: @Sendable () -> String
    private let read: Reader
    private let state: Mutex<State>
    private let isStopped = Atomic<Bool>(false)

    private struct State {
        var position: Int64 = 0
        let context: DigestContext
        let buffer: PieceBuffer
    }

    /// Creates the digest of no bytes.
    ///
    /// `place` returns where the bytes are, for messages.
    package init(
        _ algorithm: DigestAlgorithm,
        of place: @escaping @Sendable () -> String,
        read: @escaping Reader
    ) throws(DownloadError) {
        (self.algorithm, self.place, self.read) = (algorithm, place, read)
        let context = try DigestContext(algorithm)
        state = Mutex(State(context: context, buffer: PieceBuffer(count: Self.pieceLength)))
    }

    /// The position up to which the file has been read.
    package var position: Int64 { state.withLock { $0.position } }

    /// Reads from the position to the frontier.
    ///
    /// It blocks. If the frontier is before the position, it does nothing. `onPiece` is called
    /// before each piece; an error that it throws ends the reading.
    package func advance(
        to frontier: Int64,
        onPiece: () throws(DownloadError) -> Void = {}
    ) throws(DownloadError) {
        while !isStopped.load(ordering: .relaxed) {
            try onPiece()
            guard try advanceOnePiece(to: frontier) else { return }
        }
    }

    /// Ends `advance` after the current piece, now and in the future, because the digest is no
    /// longer needed.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Returns the digest of all bytes before the position.
    ///
    /// This must be the last call.
    package func finalize() throws(DownloadError) -> ContentDigest {
        try state.withLock { (state) throws(DownloadError) in try state.context.finalize() }
    }

    /// Reads one piece under the lock, so that `position` can be read in between.
    private func advanceOnePiece(to frontier: Int64) throws(DownloadError) -> Bool {
        try state.withLock { (state) throws(DownloadError) in
            let left = frontier - state.position
            guard left > 0 else { return false }
            let count = Int(min(left, Int64(Self.pieceLength)))
            let piece = UnsafeMutableRawBufferPointer(rebasing: state.buffer.bytes[..<count])
            guard try read(piece, state.position) == count else {
                throw DownloadError(
                    .diskFailure,
                    "\(place()) is shorter than the data written to it",
                    advice: "another program may have changed it: \(.runAgain)",
                    context: "computing the digest"
                )
            }
            try state.context.update(UnsafeRawBufferPointer(piece))
            state.position += Int64(count)
            return true
        }
    }
}

/// A buffer that is reused.
package final class PieceBuffer {
    package let bytes: UnsafeMutableRawBufferPointer

    package init(count: Int) {
        bytes = .allocate(byteCount: count, alignment: 4096)
    }

    deinit { bytes.deallocate() }
}
