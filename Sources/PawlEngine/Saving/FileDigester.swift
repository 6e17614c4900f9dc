internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// Computes the file's digest up to the frontier, and verifies it.
final class FileDigester: Sendable {
    private struct State {
        var policy: ChecksumPolicy
        var expected: ContentDigest?
        var digest: FrontierDigest?
        /// Whether the first bytes are gone, so that no other digest can be computed.
        var isSettled = false
    }

    private let state: Mutex<State>
    private let pool: BlockingPool
    private let follower: LatestRequestWorker<Piece>

    private struct Piece: Sendable {
        var digest: FrontierDigest
        var frontier: Int64
    }

    init(policy: ChecksumPolicy, pool: BlockingPool) {
        var initial = State(policy: policy)
        if case .digest(let digest) = policy { initial.expected = digest }
        state = Mutex(initial)
        self.pool = pool
        follower = LatestRequestWorker(pool: pool) { (piece: Piece) throws(DownloadError) in
            try piece.digest.advance(to: piece.frontier)
        } done: { _, _ in
            // A piece that could not be read is read again at the end, where its error counts.
        }
    }

    /// The digest that the file must have, if it is known.
    var expected: ContentDigest? { state.withLock { $0.expected } }

    /// Takes the server's digest if the user did not give one.
    func note(_ representation: Representation) {
        state.withLock { state in
            guard state.policy == .automatic, state.expected == nil, !state.isSettled else {
                return
            }
            state.expected = representation.digest
        }
    }

    /// Starts over for another representation's bytes: forgets the computed digest and the one that
    /// the server sent for the old representation.
    func reset(to representation: Representation) {
        distrust()
        state.withLock { state in
            if state.policy == .automatic { state.expected = representation.digest }
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
    func follow(_ frontier: Int64, in store: PartialStore) throws(DownloadError) {
        guard let digest = try digest(of: store) else { return }
        follower.follow(Piece(digest: digest, frontier: frontier))
    }

    /// Hashes the bytes before `end` before it returns, because they will be removed.
    ///
    /// A digest that the server sends later is ignored.
    func read(to end: Int64, in store: PartialStore) throws(DownloadError) {
        state.withLock { $0.isSettled = true }
        try digest(of: store)?.advance(to: end)
    }

    /// Verifies the whole file.
    ///
    /// Returns the digest that it was compared with; `nil` if there was none.
    func verify(
        _ store: PartialStore,
        total: Int64,
        _ stop: CancellationToken
    ) async throws(DownloadError) -> ContentDigest? {
        guard let expected, let digest = try digest(of: store) else { return nil }
        let found = try await pool.run { () throws(DownloadError) in
            try digest.advance(to: total, onPiece: stop.check)
            return try digest.finalize()
        }
        guard found == expected else {
            let isServers = state.withLock { $0.policy == .automatic }
            throw DownloadError(
                .checksumMismatch,
                "the file has \(found) instead of the expected \(expected)",
                advice: "the source may be damaged or a different file: try another source"
                    + (isServers
                        ? ", or \(set: .checksum, to: "none") to ignore the server's digest" : "")
            )
        }
        return found
    }

    private func digest(of store: PartialStore) throws(DownloadError) -> FrontierDigest? {
        try state.withLock { (state) throws(DownloadError) in
            guard let expected = state.expected else { return nil }
            if let digest = state.digest { return digest }
            let digest = try FrontierDigest(expected.algorithm, store: store)
            state.digest = digest
            return digest
        }
    }
}
