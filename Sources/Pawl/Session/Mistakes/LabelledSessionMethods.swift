public import PawlCore

/// The mistaken methods whose session has a label, or must have one.
@_documentation(visibility: internal)
public protocol LabelledSessionMethods:
    LabelledFileMethods, LabelledTaskMethods, LabelledEndMethods
{
    /// The types of these methods.
    typealias SessionLabelMistakes = (
        LabelledWriteMethod,
        LabelledResumeMethod,
        LabelledStartOverMethod,
        LabelledFinishMethod,
        LabelledCompleteMethod,
        LabelledDataMethod,
        LabelledResponseMethod,
        LabelledWaitMethod,
        LabelledMetricsMethod,
        LabelledInvalidMethod,
        UnlabelledFinishEventsMethod
    )
}

/// The value of `SessionLabelMistakes` for a delegate without any of these methods.
@_documentation(visibility: internal)
public typealias NoSessionLabelMistakes = (
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the session has no label: write _ session`,
    `the method is sessionDidFinishEvents(forBackgroundSession:)`
)

/// A part of the mistaken methods with a wrong label of the session.
@_documentation(visibility: internal)
public protocol LabelledFileMethods: AnyObject, Sendable {
    associatedtype LabelledWriteMethod = `the session has no label: write _ session`
    associatedtype LabelledResumeMethod = `the session has no label: write _ session`
    associatedtype LabelledStartOverMethod = `the session has no label: write _ session`
    associatedtype LabelledFinishMethod = `the session has no label: write _ session`

    func session(
        session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> LabelledWriteMethod

    func session(
        session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async -> LabelledResumeMethod

    func session(
        session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) async -> LabelledStartOverMethod

    func session(
        session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> LabelledFinishMethod
}

extension LabelledFileMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> `the session has no label: write _ session` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async -> `the session has no label: write _ session` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) async -> `the session has no label: write _ session` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> `the session has no label: write _ session` { .init() }
}

/// A part of the mistaken methods with a wrong label of the session.
@_documentation(visibility: internal)
public protocol LabelledTaskMethods: AnyObject, Sendable {
    associatedtype LabelledCompleteMethod = `the session has no label: write _ session`
    associatedtype LabelledDataMethod = `the session has no label: write _ session`
    associatedtype LabelledResponseMethod = `the session has no label: write _ session`
    associatedtype LabelledWaitMethod = `the session has no label: write _ session`

    func session(
        session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async -> LabelledCompleteMethod

    func session(
        session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) async -> LabelledDataMethod

    func session(
        session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) async -> LabelledResponseMethod

    func session(
        session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async -> LabelledWaitMethod
}

extension LabelledTaskMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async -> `the session has no label: write _ session` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) async -> `the session has no label: write _ session` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) async -> `the session has no label: write _ session` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async -> `the session has no label: write _ session` { .init() }
}

/// A part of the mistaken methods with a wrong label of the session.
@_documentation(visibility: internal)
public protocol LabelledEndMethods: AnyObject, Sendable {
    associatedtype LabelledMetricsMethod = `the session has no label: write _ session`
    associatedtype LabelledInvalidMethod = `the session has no label: write _ session`
    associatedtype UnlabelledFinishEventsMethod =
        `the method is sessionDidFinishEvents(forBackgroundSession:)`

    func session(
        session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async -> LabelledMetricsMethod

    func session(
        session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async -> LabelledInvalidMethod

    func sessionDidFinishEvents(_ session: DownloadSession) async -> UnlabelledFinishEventsMethod
}

extension LabelledEndMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async -> `the session has no label: write _ session` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async -> `the session has no label: write _ session` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func sessionDidFinishEvents(
        _ session: DownloadSession
    ) async -> `the method is sessionDidFinishEvents(forBackgroundSession:)` { .init() }
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the session has no label: write _ session`: Sendable { init() {} }
