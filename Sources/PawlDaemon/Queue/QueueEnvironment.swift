internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The values that all parts of the queue use; any thread may use them.
struct QueueEnvironment: Sendable {
    let store: any QueueStore
    let session: DownloadSession
    let logger: Logger
    let notifier: EventNotifier
    let running = RunningDownloads()
    let counters = DaemonCounters()
    /// Wakes the loop of the queue.
    let work = Wakeup()
    /// Wakes the tasks that wait for downloads to end.
    let endings = Wakeup()
    /// Wakes the task that does the jobs of hooks.
    let hooks = Wakeup()
    /// Wakes the task that checks feeds.
    let feeds = Wakeup()
    private let origin = ContinuousClock.now

    init(store: any QueueStore, session: DownloadSession, logger: Logger, lastEvent: Int64) {
        (self.store, self.session, self.logger) = (store, session, logger)
        notifier = EventNotifier(last: lastEvent)
    }

    /// The time on a monotonic clock.
    var moment: Moment { .zero + (ContinuousClock.now - origin) }

    /// Wakes all tasks that wait for changes, after a command has written some.
    func published(_ outcome: WireOutcome) {
        notifier.published(outcome.lastEvent)
        endings.send()
        work.send()
    }
}
