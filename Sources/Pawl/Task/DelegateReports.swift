internal import PawlCore

/// What the delegate has been told about a task, which determines what it is told next.
struct DelegateReports {
    /// What a download has received.
    struct Received {
        var progress: DownloadProgress
        /// The number of times that the download has started over.
        var restarts = 0
        /// The number of bytes discarded the last time; `nil` if those reported were discarded.
        var discardedBytes: Int64?
        /// The offset at which the run resumes; 0 if the run starts at the beginning.
        var offset: Int64 = 0
        /// Whether the server has agreed to the offset, or all bytes proved to be present.
        var hasAgreed = true
    }

    private var bytes: Int64 = 0
    private var restarts = 0
    private var hasOffset = false
    /// Whether a report of bytes is pending: the next one waits, and reports more bytes.
    private var isPending = false
    private var hasResponse = false

    /// Handles the begin of a run, which may resume at another offset.
    mutating func runBegins() { hasOffset = false }

    /// Handles that the delegate has received the reported bytes.
    mutating func bytesDelivered() { isPending = false }

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
    ) -> [SessionEvent] {
        var events: [SessionEvent] = []
        let progress = received.progress
        if restarts != received.restarts {
            events.append(.startedOver(task, discarded: received.discardedBytes ?? bytes))
            (restarts, bytes) = (received.restarts, 0)
        }
        if !hasOffset, received.offset > 0 {
            guard received.hasAgreed else { return events }
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
        events.append(
            .wrote(
                task,
                count: count,
                total: progress.completedBytes,
                expected: progress.totalBytes
            )
        )
        return events
    }
}
