internal import PawlCore

/// Shows that a download waits for the network or before it tries again, and reports the former to
/// the job's owner.
struct WaitingReport {
    private let job: DownloadJob
    private let monitor: DownloadMonitor
    /// Whether the download waits for the network, as last reported.
    private var isWaitingForConnectivity = false

    init(_ parts: DownloadParts) { (job, monitor) = (parts.job, parts.monitor) }

    /// Shows what the download waits for, or that it has resumed.
    mutating func show(_ planner: DownloadPlanner, isReceiving: Bool) {
        let isWaiting = planner.isWaitingForConnectivity
        if isWaiting {
            monitor.entered(.waitingForConnectivity)
        } else if planner.isWaitingToRetry {
            monitor.entered(.retrying)
        } else if isWaitingForConnectivity {
            monitor.entered(isReceiving ? .receiving : .connecting)
        }
        guard isWaiting != isWaitingForConnectivity else { return }
        isWaitingForConnectivity = isWaiting
        job.connectivityChanged?(isWaiting)
    }
}
