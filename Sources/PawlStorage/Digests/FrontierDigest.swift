package import PawlCore
internal import Synchronization

/// The digest of a file that is still arriving: it follows the frontier while the bytes are hot.
package final class FrontierDigest: Sendable {
    /// Large enough that a call costs nothing, small enough for the cache.
    private static let pieceLength = 256 * 1024

    package let algorithm: DigestAlgorithm
    private let store: PartialStore
    private let state: Mutex<State>
    private let isStopped = Atomic<Bool>(false)

    private struct State {
        var position: Int64 = 0
        let context: DigestContext
        let buffer: PieceBuffer
    }

    package init(_ algorithm: DigestAlgorithm, store: PartialStore) throws(DownloadError) {
        self.algorithm = algorithm
        self.store = store
        let context = try DigestContext(algorithm)
        state = Mutex(State(context: context, buffer: PieceBuffer(count: Self.pieceLength)))
    }

    /// Up to where the file has been read.
    package var position: Int64 { state.withLock { $0.position } }

    /// Reads from the position to the frontier.
    ///
    /// Blocks; a frontier behind the position does nothing. `onPiece` is called before each piece,
    /// and ends it with what it throws.
    package func advance(
        to frontier: Int64,
        onPiece: () throws(DownloadError) -> Void = {}
    ) throws(DownloadError) {
        while !isStopped.load(ordering: .relaxed) {
            try onPiece()
            guard try advanceOnePiece(to: frontier) else { return }
        }
    }

    /// Ends `advance` after the piece that it is at, now and later: nobody wants the digest any more.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    /// The digest of all bytes before the position; the last call.
    package func finalize() throws(DownloadError) -> ContentDigest {
        try state.withLock { (state) throws(DownloadError) in try state.context.finalize() }
    }

    /// One piece a lock, so that `position` can be read in between.
    private func advanceOnePiece(to frontier: Int64) throws(DownloadError) -> Bool {
        try state.withLock { (state) throws(DownloadError) in
            let left = frontier - state.position
            guard left > 0 else { return false }
            let count = Int(min(left, Int64(Self.pieceLength)))
            let piece = UnsafeMutableRawBufferPointer(rebasing: state.buffer.bytes[..<count])
            guard try store.read(into: piece, at: state.position) == count else {
                throw DownloadError(
                    .diskFailure,
                    "\(store.paths.partial) is shorter than what was written to it",
                    advice: "another program may have changed it: run the same again",
                    context: "computing the digest"
                )
            }
            try state.context.update(UnsafeRawBufferPointer(piece))
            state.position += Int64(count)
            return true
        }
    }
}

/// One buffer, used again and again.
final class PieceBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        bytes = .allocate(byteCount: count, alignment: 4096)
    }

    deinit { bytes.deallocate() }
}
