internal import Pawl
internal import PawlCore

/// Stops runs: one by one, to start them again, or all when the daemon shuts down.
final class RunControl {
    private let running: RunningDownloads
    private let announcements: FinishAnnouncements
    /// Runs that were stopped to start again.
    private var restarting: Set<Int64> = []
    // Visible to the parts of the queue that start and record runs.
    private(set) var isShuttingDown = false

    init(_ environment: QueueEnvironment, _ announcements: FinishAnnouncements) {
        (running, self.announcements) = (environment.running, announcements)
    }

    /// Stops a run; the remaining work is done when the run has ended.
    ///
    /// `keeping`: whether the bytes received so far are kept.
    func stop(_ id: Int64, keeping: Bool) {
        guard let task = running[id] else { return }
        announcements.stop(id)
        task.end(keeping: keeping)
    }

    /// Stops a run, which starts again with its new request.
    func restart(_ id: Int64) {
        guard running[id] != nil else { return }
        stop(id, keeping: true)
        restarting.insert(id)
    }

    func isRestarting(_ id: Int64) -> Bool { restarting.contains(id) }

    func ended(_ id: Int64) { restarting.remove(id) }

    /// Stops all runs; what they have received is kept.
    func shutDown() {
        guard !isShuttingDown else { return }
        isShuttingDown = true
        announcements.stopAll()
        for task in running.all.values { task.end(keeping: true) }
    }
}
