internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Those that failed and are tried again: when, and what the network has to do with it.
extension DownloadKeeper {
    /// The place in line of one that waits; the time of another try counts by a clock that nobody sets.
    func entry(of row: WireDownload) -> QueueScheduler.Entry {
        var entry = QueueScheduler.Entry(row)
        guard row.failures != nil, let time = retryTimes[row.id] else { return entry }
        (entry.notBefore, entry.waitsUntil) = (nil, time)
        return entry
    }

    /// A wait of an earlier daemon goes on, and is never longer than it was meant, whatever the clock says.
    ///
    /// Returns whether the row says otherwise now.
    func loadRetry(
        of row: inout WireDownload,
        _ transaction: StoreTransaction
    ) throws -> Bool {
        guard row.failures != nil, let date = row.notBefore else { return false }
        let now = Date()
        let meant = try transaction.retryWait(of: row.id)
        let wait = policy.remaining(until: date, at: now, of: meant)
        retryTimes[row.id] = moment + wait
        if row.problem?.code != .diskFull, try transaction.outages(of: row.id) > 0 {
            outageWaiters.insert(row.id)
        }
        let shown = now.addingTimeInterval(wait.seconds)
        guard shown < date else { return false }
        row.notBefore = shown
        return true
    }

    // MARK: - The network

    /// Whether something came from any server since a run began: then it is not the network that is gone.
    func hasSeenNetwork(sinceBeginOf id: Int64) -> Bool {
        guard let seen = networkSeen, let began = live.beginning(of: id) else { return false }
        return seen >= began
    }

    /// Looks whether anything has come.
    func noteNetwork() {
        let received = live.receivedBytes
        defer { receivedBefore = received }
        if received > receivedBefore { sawNetwork() }
    }

    /// Those that waited for the network try again at once.
    func sawNetwork() {
        networkSeen = .now
        guard !outageWaiters.isEmpty else { return }
        clearRetryDates(of: outageWaiters)
        for id in outageWaiters {
            retryTimes[id] = nil
            scheduler.hurry(id)
        }
        outageWaiters = []
        bell.ring()
    }

    /// The rows say so too: a change of one would otherwise bring its wait back.
    private func clearRetryDates(of ids: Set<Int64>) {
        do throws(DownloadError) {
            let last = try store.write { transaction in
                for id in ids.sorted() {
                    guard var row = try transaction.download(id), row.state == .waiting,
                        row.failures != nil, row.notBefore != nil
                    else { continue }
                    row.notBefore = nil
                    try transaction.save(row)
                    try transaction.append(.changed, row, at: Date())
                }
                return try transaction.lastEvent()
            }
            news.published(last)
        } catch {
            // They are tried again all the same.
            logger.warning("the times of other tries stay in the queue: \(error)")
        }
    }
}
