internal import PawlCore
internal import PawlWire

/// Reads the failures of the queue part by part, because there may be millions.
struct FailureSearch: Sendable {
    let queue: DaemonQueue

    /// The number of failures that one transaction reads.
    private static let pageRows = 10_000
    /// The number of downloads that one transaction queues again.
    private static let batch = 500

    /// Returns all failures, counted.
    ///
    /// `host`: the host whose failures are counted; `nil` for all.
    func tally(of host: String?) async throws -> WireFailures {
        let host = host?.lowercased()
        var (tally, last) = (FailureTally(), Int64(0))
        while true {
            let found = try await page(after: last)
            for failure in found where host == nil || failure.host == host { tally.add(failure) }
            guard found.count == Self.pageRows, let next = found.last?.download else { break }
            last = next
            try Task.checkCancellation()
        }
        return tally.failures
    }

    /// Queues the failures of a kind again among those that one transaction reads.
    func retry(
        _ asked: FailureRetry,
        by authority: Authority,
        changed: ChangedDownloads
    ) async throws(DownloadError) -> WireRetried {
        let found = try await page(after: asked.after ?? 0)
        let host = asked.host?.lowercased()
        let meant = found.filter { failure in
            failure.kind == asked.kind && (host.map { $0 == failure.host } ?? true)
        }.map(\.download)
        var count = 0
        for start in stride(from: 0, to: meant.count, by: Self.batch) {
            let ids = Array(meant[start..<min(meant.count, start + Self.batch)])
            let outcome = try await queue.retry(ids, failedWith: asked.kind, by: authority)
            changed.adding(outcome)
            count += outcome.downloads.count
        }
        return WireRetried(count, next: found.count == Self.pageRows ? found.last?.download : nil)
    }

    private func page(
        after id: Int64
    ) async throws(DownloadError) -> [FailureTable.Failure] {
        try await queue.store.read { try $0.failures.page(after: id, limit: Self.pageRows) }
    }
}
