internal import Logging
internal import PawlCore
internal import PawlPostgres
internal import Synchronization

/// Learns of what other daemons do to the queue that they share with this one.
///
/// A notification is only faster than the check that is made each second, which finds what was lost
/// with a connection.
final class RemoteChanges: Sendable {
    private struct Heard {
        /// The newest event of which a notification was received; 0 if none was.
        var lastEvent: Int64 = 0
        /// Whether something may have changed besides the events.
        var needsCheck = false
    }

    private let store: PostgresStore
    private let queue: DaemonQueue
    private let progress: SharedProgress
    private let logger: Logger
    private let heard = Mutex(Heard())
    private let wakeup = Wakeup()

    /// The time between two checks.
    private static let interval = Duration.seconds(1)

    init(_ store: PostgresStore, _ queue: DaemonQueue, _ logger: Logger) {
        (self.store, self.queue, self.logger) = (store, queue, logger)
        progress = SharedProgress(store, queue)
    }

    /// Follows the changes until the task is cancelled.
    func run() async {
        let listener = store.listen { self.note($0) }
        defer { listener.close() }
        var memory = Memory()
        var nextCheck = ContinuousClock.now
        while !Task.isCancelled {
            let found = heard.withLock { heard in
                defer { heard = Heard() }
                return heard
            }
            let isDue = nextCheck <= .now
            if found.needsCheck || isDue { await check(&memory, isDue: isDue) }
            if isDue { nextCheck = .now + Self.interval }
            // Who learns of an event then finds the changes that were made with it.
            if found.lastEvent > 0 { await queue.publishedByOthers(found.lastEvent) }
            await wakeup.wait(atMost: max(.zero, nextCheck - .now))
        }
    }

    /// Called on the connection's thread.
    private func note(_ event: PostgresListener.Event) {
        switch event {
        case .listening: heard.withLock { $0.needsCheck = true }
        case .notified(let notification):
            guard let notice = EventScript.Notice(notification.payload) else { return }
            heard.withLock { heard in
                switch notice {
                case .event(let id): heard.lastEvent = max(heard.lastEvent, id)
                case .topic: heard.needsCheck = true
                }
            }
        case .interrupted: return
        case .stopped(let error):
            // The checks continue.
            return logger.warning("changes of other daemons are seen late: \(error)")
        }
        wakeup.send()
    }

    /// What the last checks have found.
    private struct Memory {
        /// The changes that this daemon has read; empty until the first check, because they may have
        /// been made while it started.
        var known: [ChangeTopic: Int64] = [:]
        /// Whether the last check has failed.
        var isBehind = false
    }

    /// `isDue`: whether this is the check of the second, rather than after a notification.
    private func check(_ memory: inout Memory, isDue: Bool) async {
        do throws(DownloadError) {
            let counts = try await store.changeCounts()
            var changed = Set(ChangeTopic.allCases)
            if !memory.known.isEmpty {
                let known = memory.known
                changed = changed.filter { counts.byOthers[$0] != known[$0] }
            }
            if !changed.isEmpty { try await queue.reread(changed) }
            await queue.publishedByOthers(counts.lastEvent)
            memory.known = counts.byOthers
            if isDue { try await progress.exchange() }
            memory.isBehind = false
        } catch {
            // An outage is logged where it begins.
            if !memory.isBehind, queue.store.problem == nil {
                logger.error("changes of other daemons cannot be read: \(error)")
            }
            memory.isBehind = true
        }
    }
}
