public import PawlCore

/// Receives the events of a session's tasks.
///
/// The calls are made one at a time, in order, where the session's `delegateExecutor` determines:
/// the next one follows when the last has returned. All methods have an implementation that does
/// nothing, so implement those that you need. They need not be `async`, and a delegate may be an
/// actor or belong to one:
///
/// ```swift
/// @MainActor
/// final class Window: DownloadSessionDelegate {
///     var files: [String] = []
///
///     func session(
///         _ session: DownloadSession,
///         downloadTask: DownloadTask,
///         didFinishDownloadingTo file: DownloadedFile
///     ) {
///         files.append(file.path)
///     }
///
///     @MainActor
///     func session(
///         _ session: DownloadSession,
///         task: SessionTask,
///         didCompleteWithError error: DownloadError?
///     ) async {
///         print(error.map { "failed: \($0)" } ?? "\(files.count) files")
///     }
/// }
/// ```
///
/// Before an `async` method of a class of the main actor, write `@MainActor` again; otherwise, the
/// method does not belong to the main actor.
///
/// A method with the types of `URLSession`'s delegate would never be called: with such a method, a
/// session cannot be created, and the compiler's message names the right one. The same holds for
/// usual spelling mistakes, for methods that are static or throw, and for methods of `URLSession`'s
/// delegate without a counterpart, such as those for challenges and redirects: the message names
/// what to use instead. Declare the class `final`: a method that only a subclass has is never called, and
/// the compiler does not report it.
public protocol DownloadSessionDelegate: MistypedDelegateMethods {
    /// What the delegate returns for a response: ``ResponseDisposition`` or nothing.
    associatedtype ResponseDecision = Void

    /// Reports received bytes: `bytesWritten` since the last call.
    ///
    /// The sum of `bytesWritten`, from the beginning, from `didResumeAtOffset` or from
    /// `didStartOver` on, is what the task has received of the file. `totalBytesExpectedToWrite` is
    /// the size of the whole file; `nil` if it is not known. It is called at most ten times per
    /// second per task, and once with all bytes before the file is finished.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async

    /// Reports that the task resumes after existing bytes.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async

    /// Reports that the task starts over: the received bytes are of a version that the server no
    /// longer has, and are discarded.
    ///
    /// `bytesWritten` and `totalBytesWritten` count from 0 again, and `task.response` is the new
    /// version's.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) async

    /// Reports that the file is complete and verified at this path.
    ///
    /// Move a temporary file: ``TaskDestination/temporary`` describes when it is removed.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async

    /// Reports the end of the task, without an error if it succeeded.
    ///
    /// This is the last call for a task.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async

    /// Delivers a piece of a data task's body.
    ///
    /// The next piece is fetched when this has returned.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) async

    /// Reports the server's response, once, before the first bytes are reported.
    ///
    /// Return ``ResponseDisposition/cancel`` to cancel the task, or nothing. If the method returns
    /// a disposition, a file gets its name only when this has returned, so do not wait for the task
    /// here. A task of a background session, which the daemon runs, may be finished by then.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) async -> ResponseDecision

    /// Reports that there is no connection to the network.
    ///
    /// The task resumes when there is one.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async

    /// Delivers the task's metrics, just before its completion.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async

    /// Reports that the session was invalidated and its last task has ended.
    ///
    /// The error is `nil`, unless it is a background session that was lost, such as to another
    /// process, or whose daemon could not be reached at the last attempt. No further call follows.
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async

    /// Reports that all events that a background session missed while no process was attached have
    /// been delivered.
    ///
    /// It is called once after the session was created, even if there were no such events, unless
    /// the daemon cannot be reached.
    nonisolated(nonsending) func sessionDidFinishEvents(
        forBackgroundSession session: DownloadSession
    ) async
}

/// What happens to a task after its response.
public enum ResponseDisposition: Sendable, Hashable {
    /// The task continues.
    case allow
    /// The task is cancelled, and its bytes are deleted.
    case cancel
}

extension DownloadSessionDelegate {
    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async {}

    /// Does nothing.
    public nonisolated(nonsending) func sessionDidFinishEvents(
        forBackgroundSession session: DownloadSession
    ) async {}

    /// Whether the delegate decides on responses.
    static var decides: Bool { ResponseDecision.self == ResponseDisposition.self }

    /// Reports a response, and returns what becomes of the task.
    nonisolated(nonsending) func decision(
        on response: DownloadResponse,
        of task: SessionTask,
        in session: DownloadSession
    ) async -> ResponseDisposition {
        let decision = await self.session(session, task: task, didReceive: response)
        return decision as? ResponseDisposition ?? .allow
    }
}
