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
    func follow(_ frontier: Int64, in store: any TargetStore) {
        let end = digests.expected == nil ? frontier : frontier - Self.withheldBytes
        guard end > passing.offset else { return }
        begun.store(true, ordering: .relaxed)
        worker.follow(OutputPassing.Part(store: store, end: end))
    }

    /// Passes on the rest of a complete file, and removes it.
    func finish(_ total: Int64, in store: any TargetStore) async throws(DownloadError) {
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

extension FinishedTarget {
    /// Returns what stands for bytes that were passed on to an output.
    static func output(size: Int64) -> FinishedTarget {
        FinishedTarget(path: "-", name: "-", size: size)
    }
}
