package import PawlCore
package import PawlStorage
internal import Synchronization

/// Computes the file's digest up to the frontier, and verifies it and the digests of the pieces.
final class FileDigester: Sendable {
    private struct State {
        var policy: ChecksumPolicy
        var expected: ContentDigest?
        var digest: FrontierDigest?
        /// Whether the first bytes are gone, so that no other digest can be computed.
        var isSettled = false
    }

    /// The result of a verification.
    enum Verification {
        case verified(VerifiedDigests)
        /// The file is wrong; the pieces are those that are known to be wrong.
        case differed([ByteRange], DownloadError)
    }

    private let state: Mutex<State>
    /// The digests of the pieces that were given.
    private let pieces: PieceDigests?
    private let metalink: ServerMetalink
    private let pool: BlockingPool
    private let follower: LatestRequestWorker<Piece>

    private struct Piece: Sendable {
        var digest: FrontierDigest
        var frontier: Int64
    }

    init(_ settings: DownloadSettings, pool: BlockingPool, _ metalink: ServerMetalink) {
        var initial = State(policy: settings.checksum)
        if case .digest(let digest) = settings.checksum { initial.expected = digest }
        pieces = settings.pieces
        state = Mutex(initial)
        (self.pool, self.metalink) = (pool, metalink)
        follower = LatestRequestWorker(pool: pool) { (piece: Piece) throws(DownloadError) in
            try piece.digest.advance(to: piece.frontier)
        } done: { _, _ in
            // A piece that could not be read is read again at the end, where its error counts.
        }
    }

    /// The digest that the file must have, if it is known.
    var expected: ContentDigest? { state.withLock { $0.expected } }

    /// Takes the server's digest if the user did not give one, and none is known yet.
    func note(_ digest: ContentDigest?) {
        state.withLock { state in
            guard state.policy.takesServers, state.expected == nil, !state.isSettled else {
                return
            }
            state.expected = digest
        }
    }

    /// Takes no other digest from now on, because the first bytes will not stay.
    func settle() { state.withLock { $0.isSettled = true } }

    /// Takes the digest that a server sent with the file.
    func note(_ representation: Representation) { note(representation.digest) }

    /// Whether the digest that the file must have is known when a representation is noted.
    func isKnown(with representation: Representation) -> Bool {
        state.withLock { state in
            state.expected != nil || state.policy.takesServers && representation.digest != nil
        }
    }

    /// Starts over for another representation's bytes: forgets the computed digest and the one that
    /// the server sent for the old representation.
    func reset(to representation: Representation) {
        distrust()
        state.withLock { state in
            if state.policy.takesServers { state.expected = representation.digest }
        }
    }

    /// Discards the computed digest, because the bytes may be wrong.
    ///
    /// They are hashed again.
    func distrust() {
        state.withLock { state in
            state.digest?.stop()
            state.digest = nil
        }
    }

    func finish() async {
        state.withLock { $0.digest }?.stop()
        await follower.finish()
    }

    /// Hashes the bytes up to the frontier, all of which are present.
    func follow(_ frontier: Int64, in store: any TargetStore) throws(DownloadError) {
        guard let digest = try digest(of: store) else { return }
        follower.follow(Piece(digest: digest, frontier: frontier))
    }

    /// Hashes the bytes before `end` before it returns, because they will be removed.
    ///
    /// A digest that the server sends later is ignored.
    func read(to end: Int64, in store: any TargetStore) throws(DownloadError) {
        state.withLock { $0.isSettled = true }
        try digest(of: store)?.advance(to: end)
    }

    /// Verifies the whole file; if it is wrong, the digests of its pieces show where.
    ///
    /// A digest of the whole file that is right counts for more than those of pieces.
    func verify(
        _ store: any TargetStore,
        total: Int64,
        _ stop: CancellationToken
    ) async throws(DownloadError) -> Verification {
        guard store.traits.reading != .never else { return .verified(VerifiedDigests()) }
        let canReadAgain = store.traits.reading == .anywhere
        guard let expected, let digest = try digest(of: store) else {
            guard canReadAgain else { return .verified(VerifiedDigests()) }
            guard let pieces = pieces ?? described(metalink.description, total) else {
                return .verified(VerifiedDigests())
            }
            guard pieces.covers(total) else {
                let text = "the file has \(total) bytes, which is not the size of its pieces"
                return .differed([], mismatch(text))
            }
            let wrong = try await wrongPieces(of: store, pieces, total, stop)
            return wrong.isEmpty
                ? .verified(VerifiedDigests(pieces: PieceRecord(pieces, total: total)))
                : .differed(wrong, mismatch(Self.text(of: wrong.count)))
        }
        let found = try await pool.run { () throws(DownloadError) in
            try digest.advance(to: total, onPiece: stop.check)
            return try digest.finalize()
        }
        guard found != expected else {
            let pieces = pieces ?? described(metalink.description, total)
            let record = pieces.flatMap { PieceRecord($0, total: total) }
            return .verified(VerifiedDigests(whole: found, pieces: record))
        }
        let error = mismatch("the file has \(found) instead of the expected \(expected)")
        guard canReadAgain else { return .differed([], error) }
        let document = pieces == nil ? try await metalink.read(stop) : nil
        guard let pieces = pieces ?? described(document, total), pieces.covers(total) else {
            return .differed([], error)
        }
        return .differed(try await wrongPieces(of: store, pieces, total, stop), error)
    }

    /// Returns the digests of the pieces from a document of the server, if it is about this file.
    private func described(_ document: FileDescription?, _ total: Int64) -> PieceDigests? {
        guard let document, document.mayDescribe(total: total, digest: expected) else { return nil }
        return document.pieces.flatMap { $0.covers(total) ? $0 : nil }
    }

    private func wrongPieces(
        of store: any TargetStore,
        _ pieces: PieceDigests,
        _ total: Int64,
        _ stop: CancellationToken
    ) async throws(DownloadError) -> [ByteRange] {
        try await pool.run { () throws(DownloadError) in
            try PieceCheck(pieces, total: total).wrongPieces {
                (buffer, offset) throws(DownloadError) in
                try stop.check()
                return try store.read(into: buffer, at: offset)
            }
        }
    }

    private static func text(of count: Int) -> String {
        count == 1 ? "a piece of the file is wrong" : "\(count) pieces of the file are wrong"
    }

    private func mismatch(_ text: String) -> DownloadError {
        let isServers = state.withLock { $0.policy.takesServers }
        return DownloadError(
            .checksumMismatch,
            text,
            advice: "the source may be damaged or a different file: try another source"
                + (isServers
                    ? ", or \(set: .checksum, to: "none") to ignore the server's digest" : "")
        )
    }

    private func digest(of store: any TargetStore) throws(DownloadError) -> FrontierDigest? {
        try state.withLock { (state) throws(DownloadError) in
            guard let expected = state.expected, store.traits.reading != .never else { return nil }
            if let digest = state.digest { return digest }
            let digest = try FrontierDigest(expected.algorithm, of: { store.place }) {
                (buffer, offset) throws(DownloadError) in
                try store.read(into: buffer, at: offset)
            }
            state.digest = digest
            return digest
        }
    }
}

/// The digests of a complete file that are right, as far as they are known.
package struct VerifiedDigests: Sendable {
    package var whole: ContentDigest?
    /// Those of the pieces, which were not compared if that of the whole file is known.
    package var pieces: PieceRecord?

    package init(whole: ContentDigest? = nil, pieces: PieceRecord? = nil) {
        (self.whole, self.pieces) = (whole, pieces)
    }
}
