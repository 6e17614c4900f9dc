internal import FoundationEssentials
internal import Logging
internal import PawlCore
internal import PawlWire

/// Deletes old events, and removes old ended downloads from the list.
final class HistoryPruner {
    private let environment: QueueEnvironment
    private var lastPruned: Int64
    /// The event after which there are more to be deleted; `nil` if all are deleted.
    private var nextPruned: Int64?
    private var history: History?
    /// The event from which the list is pruned again.
    private var nextEvent: Int64 = 0
    /// The date at which `prune` must be called again, even if nothing has changed.
    ///
    /// Visible to the queue, which waits until then.
    private(set) var nextDate = Date.distantPast

    /// The settings that decide which ended downloads stay in the list.
    private struct History: Hashable {
        var count: Int
        var days: Int
    }

    private static let eventInterval: Int64 = 1000
    private static let keptEvents: Int64 = 100_000
    /// The maximum number of events that are kept for sessions that have not acknowledged them.
    private static let mostEvents: Int64 = 1_000_000
    private static let day: Double = 86_400
    /// The time in seconds for which events are kept after the last process of their session has
    /// detached.
    private static let retention = 180 * day
    /// The time in seconds for which each ended download stays, so that clients can see its end.
    private static let shortestStay: Double = 60
    private static let longestWait: Double = 3600
    /// The maximum number of downloads that one transaction removes.
    private static let batch = 1000
    /// The maximum number of events that one transaction deletes.
    private static let eventBatch = 10_000

    init(_ environment: QueueEnvironment) {
        self.environment = environment
        lastPruned = environment.notifier.last
    }

    /// Prunes what is due.
    ///
    /// Returns whether more events or downloads are to be removed at once.
    func prune(_ settings: DaemonSettings, at now: Date) -> Bool {
        let hasMore = pruneEvents()
        let history = History(count: settings.historyCount, days: settings.historyDays)
        let isDue = environment.notifier.last >= nextEvent || now >= nextDate
        // The clock may have been set back.
        let isFarAhead = nextDate.timeIntervalSince(now) > Self.longestWait
        guard isDue || isFarAhead || history != self.history else { return hasMore }
        self.history = history
        let removed = remove(history)
        guard removed < Self.batch else { return true }
        // A short list is pruned more often, so that it does not become much longer.
        let share = min(1, max(0.01, Double(history.count) / 10_000))
        nextEvent = environment.notifier.last + Int64(Double(Self.eventInterval) * share)
        nextDate = now.addingTimeInterval(max(Self.shortestStay, Self.longestWait * share))
        return hasMore
    }

    /// Returns whether more events are to be deleted at once.
    private func pruneEvents() -> Bool {
        let last = environment.notifier.last
        guard nextPruned != nil || last >= lastPruned + Self.eventInterval else { return false }
        lastPruned = last
        do throws(DownloadError) {
            let committed = try environment.store.write(for: .repeatable) { transaction in
                try transaction.events.prune(
                    keeping: Self.keptEvents,
                    seenSince: transaction.now.addingTimeInterval(-Self.retention),
                    most: Self.mostEvents,
                    after: nextPruned ?? 0,
                    limit: Self.eventBatch
                )
            }
            nextPruned = committed.value
        } catch {
            nextPruned = nil
            environment.logger.warning("old events were not deleted: \(error)")
        }
        return nextPruned != nil
    }

    /// Removes downloads that the history does not keep; returns their number.
    private func remove(_ history: History) -> Int {
        do throws(DownloadError) {
            let committed = try environment.store.write(for: .needsRoom) { transaction in
                let now = transaction.now
                let expired = try transaction.downloads.expired(
                    keeping: history.count,
                    endedSince: now.addingTimeInterval(-Double(history.days) * Self.day),
                    endedBefore: now.addingTimeInterval(-Self.shortestStay),
                    limit: Self.batch
                )
                // The end of a run may still be to be recorded.
                let removed = expired.filter { environment.running[$0.id] == nil }
                for row in removed {
                    try transaction.downloads.delete(row.id)
                    // Otherwise no client can know the download from events.
                    guard try transaction.events.contains(of: row.id) else { continue }
                    try transaction.events.append(.removed, row, at: now)
                }
                return removed.count
            }
            if committed.value > 0 { environment.notifier.published(committed.lastEvent) }
            return committed.value
        } catch {
            environment.logger.warning("old downloads were not removed from the list: \(error)")
            return 0
        }
    }
}
