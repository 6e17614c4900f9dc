public import PawlCore

/// Hears of what a session's tasks do.
///
/// The calls come one at a time, in order, where the session's `delegateExecutor` says. All have an
/// implementation that does nothing.
public protocol DownloadSessionDelegate: AnyObject, Sendable {
    /// Bytes came: `bytesWritten` since the last call.
    ///
    /// From the beginning, from `didResumeAtOffset` or from `didStartOverDiscarding` on, the sum of
    /// `bytesWritten` is what the task has received of the file.
    /// `totalBytesExpectedToWrite` is the whole file's size, nil where it is not known. At most ten
    /// times a second a task, and once with all bytes before the file is finished.
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    )

    /// The task goes on behind bytes that were there already.
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    )

    /// The task starts over: the received bytes are of a version that the server no longer has, and are
    /// discarded.
    ///
    /// `bytesWritten` and `totalBytesWritten` count from 0 again, and `task.response` is the new
    /// version's. `discardedBytes` includes bytes that an earlier process had received.
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOverDiscarding discardedBytes: Int64
    )

    /// The file is complete and verified there.
    ///
    /// Move a temporary one: ``TaskDestination/temporary`` says when it goes.
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    )

    /// The task has ended, with no error where it went well: the last call for a task.
    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    )

    /// A piece of a data task's body came; the next one is fetched when this has returned.
    func session(_ session: DownloadSession, dataTask: DataTask, didReceive data: [UInt8])

    /// The server has answered: called once, before the first bytes are told.
    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    )

    /// There is no way to the network; the task goes on when there is one.
    func session(_ session: DownloadSession, taskIsWaitingForConnectivity task: SessionTask)

    /// What the task took; called just before its completion.
    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    )

    /// The session was invalidated, and its last task has ended: nothing follows.
    func session(_ session: DownloadSession, didBecomeInvalidWithError error: DownloadError?)

    /// All that a background session missed while nobody was attached has been told.
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
