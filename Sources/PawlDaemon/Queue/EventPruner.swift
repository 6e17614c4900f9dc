internal import FoundationEssentials
internal import Logging
internal import PawlCore

/// Deletes old events, after each thousand new ones.
final class EventPruner {
    private let environment: QueueEnvironment
    private var lastPruned: Int64

    private static let interval: Int64 = 1000
    private static let keptEvents: Int64 = 100_000
    /// The maximum number of events that are kept for sessions that have not acknowledged them.
    private static let mostEvents: Int64 = 1_000_000
    /// The time in seconds for which events are kept after the last process of their session has
    /// detached.
    private static let retention: Double = 180 * 86_400

    init(_ environment: QueueEnvironment) {
        self.environment = environment
        lastPruned = environment.notifier.last
    }

    func prune(_ last: Int64) {
        guard last >= lastPruned + Self.interval else { return }
        lastPruned = last
        do throws(DownloadError) {
            let date = Date().addingTimeInterval(-Self.retention)
            try environment.store.write { transaction in
                try transaction.events.prune(
                    keeping: Self.keptEvents,
                    seenSince: date,
                    most: Self.mostEvents
                )
            }
        } catch {
            environment.logger.warning("old events were not deleted: \(error)")
        }
    }
}
