internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// When failed downloads are tried again, and whether the network may have caused the failures.
final class RetrySchedule {
    private let environment: QueueEnvironment
    private let waiting: WaitingDownloads
    private let policy = OutagePolicy()
    /// The times of the next tries, on a monotonic clock.
    private var times: [Int64: Moment] = [:]
    /// The failed downloads that are tried again as soon as the network is back.
    private var outageWaiters: Set<Int64> = []
    /// When a server last sent something.
    private var networkSeenAt: ContinuousClock.Instant?
    /// The bytes received at the last check of the network.
    private var receivedBytes: Int64 = 0
    /// The retry settings of the running downloads.
    private var retryLimits: [Int64: RetryLimits] = [:]

    init(_ environment: QueueEnvironment, _ waiting: WaitingDownloads) {
        (self.environment, self.waiting) = (environment, waiting)
    }

    /// Returns the scheduler's entry of a row: the wait for another try uses the monotonic clock.
    func entry(of row: WireDownload) -> QueueScheduler.Entry {
        var entry = QueueScheduler.Entry(row)
        guard row.failures != nil, let time = times[row.id] else { return entry }
        (entry.notBefore, entry.waitsUntil) = (nil, time)
        return entry
    }

    /// Continues a wait that an earlier daemon began; it is never longer than planned, even if the
    /// clock was set.
    ///
    /// Returns whether the row has changed.
    func load(_ row: inout WireDownload, _ transaction: StoreTransaction) throws -> Bool {
        guard row.failures != nil, let date = row.notBefore else { return false }
        let now = transaction.now
        let planned = try transaction.attempts.retryWait(of: row.id)
        let wait = policy.remaining(until: date, at: now, of: planned)
        times[row.id] = environment.moment + wait
        let isLocal = row.problem.map { policy.isLocal($0.code) } ?? false
        if !isLocal, try transaction.attempts.outages(of: row.id) > 0 {
            outageWaiters.insert(row.id)
        }
        let shown = now.addingTimeInterval(wait.seconds)
        guard shown < date else { return false }
        row.notBefore = shown
        return true
    }

    /// Ends the wait for another try.
    func forget(_ id: Int64) { times[id] = nil }

    // MARK: - Runs

    func began(_ id: Int64, _ settings: SettingsDocument<DownloadSettings>?) {
        retryLimits[id] = RetryLimits(settings)
    }

    func ended(_ id: Int64) { retryLimits[id] = nil }

    /// Plans another try after a failure; returns its entry, or `nil` if there is no other try.
    func planRetry(
        of row: inout WireDownload,
        after error: DownloadError,
        _ progress: DownloadProgress,
        _ transaction: StoreTransaction
    ) throws -> QueueScheduler.Entry? {
        var failure = OutagePolicy.Failure(error)
        failure.retryLimits = retryLimits[row.id] ?? RetryLimits()
        guard failure.retryLimits.mayRepeat else { return nil }
        if progress.completedBytes <= progress.resumedBytes {
            failure.count = (row.failures ?? 0) + 1
            failure.outages = try transaction.attempts.outages(of: row.id)
            failure.isOutage =
                policy.isLocal(error.code)
                || policy.mayBeNetwork(error) && !hasSeenNetwork(sinceStartOf: row.id)
            if failure.isOutage { failure.outages += 1 }
        }
        guard let wait = policy.wait(after: failure) else { return nil }
        row.state = .waiting
        row.failures = failure.count
        row.notBefore = transaction.now.addingTimeInterval(wait.seconds)
        row.problem = Problem(error)
        try transaction.attempts.setRetry(wait, outages: failure.outages, of: row.id)
        times[row.id] = environment.moment + wait
        // Room on a disk and other processes do not depend on the network.
        if failure.isOutage, !policy.isLocal(error.code) { outageWaiters.insert(row.id) }
        return entry(of: row)
    }

    // MARK: - The network

    /// Learns from the end of a run whether a server has responded.
    func learn(from result: Result<DownloadedFile, DownloadError>) {
        switch result {
        case .success(let file):
            if !file.wasAlreadyThere { sawNetwork() }
        case .failure(let error):
            if !policy.mayBeNetwork(error) && error.httpStatus != nil { sawNetwork() }
        }
    }

    /// Checks whether the running downloads have received anything.
    func checkNetwork() {
        let received = environment.running.receivedBytes
        defer { receivedBytes = received }
        if received > receivedBytes { sawNetwork() }
    }

    /// Whether a server has sent anything since a run started: then the network is not the cause.
    private func hasSeenNetwork(sinceStartOf id: Int64) -> Bool {
        guard let seen = networkSeenAt, let start = environment.running.startTime(of: id) else {
            return false
        }
        return seen >= start
    }

    /// Starts the downloads that waited for the network.
    private func sawNetwork() {
        networkSeenAt = .now
        guard !outageWaiters.isEmpty else { return }
        clearRetryDates(of: outageWaiters)
        for id in outageWaiters {
            times[id] = nil
            waiting.startNow(id)
        }
        outageWaiters = []
        environment.work.send()
    }

    /// Clears the rows' dates; otherwise the next change of a row would restore its wait.
    private func clearRetryDates(of ids: Set<Int64>) {
        do throws(DownloadError) {
            let committed = try environment.store.write(for: .change) { transaction in
                for id in ids.sorted() {
                    guard var row = try transaction.downloads.find(id), row.state == .waiting,
                        row.failures != nil, row.notBefore != nil
                    else { continue }
                    row.notBefore = nil
                    try transaction.downloads.save(row)
                    try transaction.events.append(.changed, row, at: transaction.now)
                }
            }
            environment.notifier.published(committed.lastEvent)
        } catch {
            // These downloads are tried again nevertheless.
            environment.logger.warning("the dates of the next attempts were not cleared: \(error)")
        }
    }
}
