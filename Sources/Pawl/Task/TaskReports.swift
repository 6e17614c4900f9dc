internal import PawlCore

/// What was reported about a task, which determines what is reported next.
struct TaskReports {
    /// What a download has received.
    struct Received {
        var progress: DownloadProgress
        /// The number of times that the download has started over.
        var restarts = 0
        /// Why the download has started over the last time.
        var restartReason = DownloadRestart.Reason.fileChanged
        /// The number of bytes discarded the last time; `nil` if those reported were discarded.
        var discardedBytes: Int64?
        /// The offset at which the run resumes; 0 if the run starts at the beginning.
        var offset: Int64 = 0
        /// Whether the bytes of an earlier run may still be discarded.
        ///
        /// Until that is decided, they are not reported.
        var isUnconfirmed = false
    }

    private var bytes: Int64 = 0
    private var restarts = 0
    private var hasOffset = false
    /// Whether a report of bytes is pending: the next one waits, and reports more bytes.
    private var isPending = false
    private(set) var hasResponse = false

    /// Handles the begin of a run, which may resume at another offset.
    mutating func runBegins() { hasOffset = false }

    /// Handles that the reported progress was delivered.
    mutating func progressDelivered() { isPending = false }

    /// Returns the response if it was not reported yet, and records it as reported.
    mutating func newResponse(_ response: @autoclosure () -> DownloadResponse?)
        -> DownloadResponse?
    {
        guard !hasResponse, let response = response() else { return nil }
        hasResponse = true
        return response
    }

    /// Returns the events of a download since the last report, and records them as reported.
    mutating func newEvents(
        of task: DownloadTask,
        _ received: Received,
        isLast: Bool
    ) -> [Delivery] {
        var events: [Delivery] = []
        let progress = received.progress
        if restarts != received.restarts {
            let discarded = received.discardedBytes ?? bytes
            let restart = DownloadRestart(discardedBytes: discarded, received.restartReason)
            events.append(.startedOver(task, restart))
            (restarts, bytes) = (received.restarts, 0)
        }
        guard !received.isUnconfirmed else { return events }
        if !hasOffset, received.offset > 0 {
            (hasOffset, bytes) = (true, received.offset)
            events.append(
                .resumed(task, offset: received.offset, expected: progress.totalBytes)
            )
        }
        bytes = min(bytes, progress.completedBytes)
        let count = progress.completedBytes - bytes
        // One pending report is enough: a slow delegate must not make a queue grow.
        guard count > 0, isLast || !isPending else { return events }
        (bytes, isPending) = (progress.completedBytes, true)
        events.append(.wrote(task, count: count, progress))
        return events
    }

    /// Returns the event of a data task since the last report, and records it as reported.
    mutating func newEvent(of task: DataTask, _ progress: DownloadProgress) -> Delivery? {
        guard progress.completedBytes > bytes, !isPending else { return nil }
        (bytes, isPending) = (progress.completedBytes, true)
        return .progressed(task, progress)
    }
}
