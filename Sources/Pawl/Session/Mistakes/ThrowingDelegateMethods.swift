public import PawlCore

/// The types of the errors of a delegate's methods.
///
/// The requirements have the signatures of ``DownloadSessionDelegate``'s, and a method of a delegate
/// implements both. If it throws, its error is not `Never`, and ``DownloadSession`` has no
/// initializer for the delegate.
@_documentation(visibility: internal)
public protocol ThrowingDelegateMethods:
    ThrowingFileMethods, ThrowingTaskMethods, ThrowingEndMethods
{
    /// The types of the errors.
    typealias ThrownErrors = (
        WriteFailure,
        ResumeFailure,
        StartOverFailure,
        FinishFailure,
        CompleteFailure,
        DataFailure,
        ResponseFailure,
        WaitFailure,
        MetricsFailure,
        InvalidFailure,
        FinishEventsFailure
    )
}

/// The value of `ThrownErrors` for a delegate whose methods do not throw.
@_documentation(visibility: internal)
public typealias NoThrownErrors = (
    Never, Never, Never, Never, Never, Never, Never, Never, Never, Never, Never
)

/// A part of the requirements for the types of errors.
@_documentation(visibility: internal)
public protocol ThrowingFileMethods: AnyObject, Sendable {
    associatedtype WriteFailure: Error = Never
    associatedtype ResumeFailure: Error = Never
    associatedtype StartOverFailure: Error = Never
    associatedtype FinishFailure: Error = Never

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async throws(WriteFailure)

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async throws(ResumeFailure)

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) async throws(StartOverFailure)

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async throws(FinishFailure)
}

/// A part of the requirements for the types of errors.
@_documentation(visibility: internal)
public protocol ThrowingTaskMethods: AnyObject, Sendable {
    associatedtype CompleteFailure: Error = Never
    associatedtype DataFailure: Error = Never
    associatedtype ResponseFailure: Error = Never
    associatedtype WaitFailure: Error = Never
    associatedtype ResponseResult = Void

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async throws(CompleteFailure)

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) async throws(DataFailure)

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) async throws(ResponseFailure) -> ResponseResult

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async throws(WaitFailure)
}

/// A part of the requirements for the types of errors.
@_documentation(visibility: internal)
public protocol ThrowingEndMethods: AnyObject, Sendable {
    associatedtype MetricsFailure: Error = Never
    associatedtype InvalidFailure: Error = Never
    associatedtype FinishEventsFailure: Error = Never

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async throws(MetricsFailure)

    @_disfavoredOverload
    nonisolated(nonsending) func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async throws(InvalidFailure)

    @_disfavoredOverload
    nonisolated(nonsending) func sessionDidFinishEvents(
        forBackgroundSession session: DownloadSession
    ) async throws(FinishEventsFailure)
}
