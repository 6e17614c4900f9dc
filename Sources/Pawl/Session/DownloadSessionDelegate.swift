public import PawlCore

/// Receives the events of a session's tasks.
///
/// The calls are made one at a time, in order, where the session's `delegateExecutor` determines.
/// All methods have an implementation that does nothing.
public protocol DownloadSessionDelegate: AnyObject, Sendable {
    /// Reports received bytes: `bytesWritten` since the last call.
    ///
    /// The sum of `bytesWritten`, from the beginning, from `didResumeAtOffset` or from
    /// `didStartOverDiscarding` on, is what the task has received of the file.
    /// `totalBytesExpectedToWrite` is the size of the whole file; `nil` if it is not known. It is
    /// called at most ten times per second per task, and once with all bytes before the file is
    /// finished.
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    )

    /// Reports that the task resumes after existing bytes.
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    )

    /// Reports that the task starts over: the received bytes are of a version that the server no
    /// longer has, and are discarded.
    ///
    /// `bytesWritten` and `totalBytesWritten` count from 0 again, and `task.response` is the new
    /// version's. `discardedBytes` includes bytes that an earlier process had received.
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOverDiscarding discardedBytes: Int64
    )

    /// Reports that the file is complete and verified at this path.
    ///
    /// Move a temporary file: ``TaskDestination/temporary`` describes when it is removed.
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    )

    /// Reports the end of the task, without an error if it succeeded.
    ///
    /// This is the last call for a task.
    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    )

    /// Delivers a piece of a data task's body.
    ///
    /// The next piece is fetched when this has returned.
    func session(_ session: DownloadSession, dataTask: DataTask, didReceive data: [UInt8])

    /// Reports the server's response, once, before the first bytes are reported.
    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    )

    /// Reports that there is no connection to the network.
    ///
    /// The task resumes when there is one.
    func session(_ session: DownloadSession, taskIsWaitingForConnectivity task: SessionTask)

    /// Delivers the task's metrics, just before its completion.
    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    )

    /// Reports that the session was invalidated and its last task has ended.
    ///
    /// No further call follows.
    func session(_ session: DownloadSession, didBecomeInvalidWithError error: DownloadError?)

    /// Reports that all events that a background session missed while no process was attached have
    /// been delivered.
    func sessionDidFinishEvents(forBackgroundSession session: DownloadSession)
}

extension DownloadSessionDelegate {
    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOverDiscarding discardedBytes: Int64
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) {}

    /// Does nothing.
    public func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) {}

    /// Does nothing.
    public func sessionDidFinishEvents(forBackgroundSession session: DownloadSession) {}
}
