internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// Computes the file's digest along the frontier, and checks it.
final class DigestKeeper: Sendable {
    private struct State {
        var policy: ChecksumPolicy
        var expected: ContentDigest?
        var digest: FrontierDigest?
    }

    private let state: Mutex<State>
    private let pool: BlockingPool
    private let follower: Follower<Piece>

    private struct Piece: Sendable {
        var digest: FrontierDigest
        var frontier: Int64
    }

    init(policy: ChecksumPolicy, pool: BlockingPool) {
        var initial = State(policy: policy)
        if case .digest(let digest) = policy { initial.expected = digest }
        state = Mutex(initial)
        self.pool = pool
        follower = Follower(pool: pool) { (piece: Piece) throws(DownloadError) in
            try piece.digest.advance(to: piece.frontier)
        } done: { _, _ in
            // A piece that could not be read is read again at the end, where its error counts.
        }
    }

    /// What the file must have, if that is known.
    var expected: ContentDigest? { state.withLock { $0.expected } }

    /// Takes the server's own digest where the user left it to the server.
    func note(_ representation: Representation) {
        state.withLock { state in
            guard state.policy == .automatic, state.expected == nil else { return }
            state.expected = representation.digest
        }
    }

    /// The file's bytes are another representation's: forget what was computed, and what the
    /// server said of the old one.
    func reset(to representation: Representation) {
        distrust()
        state.withLock { state in
            if state.policy == .automatic { state.expected = representation.digest }
        }
    }

    /// Bytes that were hashed are not to be trusted: hash them again.
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

    /// All bytes before the frontier are there.
    func follow(_ frontier: Int64, in store: PartialStore) throws(DownloadError) {
        guard let digest = try digest(of: store) else { return }
        follower.follow(Piece(digest: digest, frontier: frontier))
    }

    /// The digest that the whole file was checked against, nil where there was none.
    func verify(
        _ store: PartialStore,
        total: Int64,
        _ stop: StopSignal
    ) async throws(DownloadError) -> ContentDigest? {
        guard let expected, let digest = try digest(of: store) else { return nil }
        let found = try await pool.run { () throws(DownloadError) in
            try digest.advance(to: total) { () throws(DownloadError) in try stop.check() }
            return try digest.finalize()
        }
        guard found == expected else {
            throw DownloadError(
                .checksumMismatch,
                "the file has \(found) where \(expected) was expected",
                advice: "the source may be damaged or another file: try another one"
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
