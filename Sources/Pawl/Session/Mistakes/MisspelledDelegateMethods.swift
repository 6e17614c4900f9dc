public import PawlCore

/// The mistaken methods with nearly the types or labels of the right ones.
@_documentation(visibility: internal)
public protocol MisspelledDelegateMethods:
    MistakenOptionalMethods, MistakenTaskMethods, MisspelledLabelMethods
{
    /// The types of these methods.
    typealias SpellingMistakes = (
        CompletePresentMethod,
        CompletePresentAnyMethod,
        InvalidPresentMethod,
        FinishOptionalMethod,
        WriteSessionTaskMethod,
        ResumeSessionTaskMethod,
        StartOverSessionTaskMethod,
        FinishSessionTaskMethod,
        DataSessionTaskMethod,
        FinishShortMethod,
        CompleteShortMethod,
        MetricsLongMethod,
        DataLongMethod,
        ResponseLongMethod
    )
}

/// The value of `SpellingMistakes` for a delegate without any of these methods.
@_documentation(visibility: internal)
public typealias NoSpellingMistakes = (
    `session(_:task:didCompleteWithError:) takes a DownloadError?`,
    `session(_:task:didCompleteWithError:) takes a DownloadError?`,
    `session(_:didBecomeInvalidWithError:) takes a DownloadError?`,
    `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`,
    `the type of the task is DownloadTask`,
    `the type of the task is DownloadTask`,
    `the type of the task is DownloadTask`,
    `the type of the task is DownloadTask`,
    `the type of the task is DataTask`,
    `the label of the file is didFinishDownloadingTo`,
    `the label of the error is didCompleteWithError`,
    `the label of the metrics is didFinishCollecting`,
    `the label of the data is didReceive`,
    `the label of the response is didReceive`
)

/// The mistaken methods whose last value is optional but must not be, or the reverse.
@_documentation(visibility: internal)
public protocol MistakenOptionalMethods: AnyObject, Sendable {
    associatedtype CompletePresentMethod =
        `session(_:task:didCompleteWithError:) takes a DownloadError?`
    associatedtype CompletePresentAnyMethod =
        `session(_:task:didCompleteWithError:) takes a DownloadError?`
    associatedtype InvalidPresentMethod =
        `session(_:didBecomeInvalidWithError:) takes a DownloadError?`
    associatedtype FinishOptionalMethod =
        `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError
    ) async -> CompletePresentMethod

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: any Error
    ) async -> CompletePresentAnyMethod

    func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError
    ) async -> InvalidPresentMethod

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile?
    ) async -> FinishOptionalMethod
}

extension MistakenOptionalMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError
    ) async -> `session(_:task:didCompleteWithError:) takes a DownloadError?` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: any Error
    ) async -> `session(_:task:didCompleteWithError:) takes a DownloadError?` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError
    ) async -> `session(_:didBecomeInvalidWithError:) takes a DownloadError?` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile?
    ) async -> `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile` { .init() }
}

/// The mistaken methods whose task is a `SessionTask`.
@_documentation(visibility: internal)
public protocol MistakenTaskMethods: AnyObject, Sendable {
    associatedtype WriteSessionTaskMethod = `the type of the task is DownloadTask`
    associatedtype ResumeSessionTaskMethod = `the type of the task is DownloadTask`
    associatedtype StartOverSessionTaskMethod = `the type of the task is DownloadTask`
    associatedtype FinishSessionTaskMethod = `the type of the task is DownloadTask`
    associatedtype DataSessionTaskMethod = `the type of the task is DataTask`

    func session(
        _ session: DownloadSession,
        downloadTask: SessionTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> WriteSessionTaskMethod

    func session(
        _ session: DownloadSession,
        downloadTask: SessionTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async -> ResumeSessionTaskMethod

    func session(
        _ session: DownloadSession,
        downloadTask: SessionTask,
        didStartOver restart: DownloadRestart
    ) async -> StartOverSessionTaskMethod

    func session(
        _ session: DownloadSession,
        downloadTask: SessionTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> FinishSessionTaskMethod

    func session(
        _ session: DownloadSession,
        dataTask: SessionTask,
        didReceive data: [UInt8]
    ) async -> DataSessionTaskMethod
}

extension MistakenTaskMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: SessionTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> `the type of the task is DownloadTask` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: SessionTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async -> `the type of the task is DownloadTask` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: SessionTask,
        didStartOver restart: DownloadRestart
    ) async -> `the type of the task is DownloadTask` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: SessionTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> `the type of the task is DownloadTask` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        dataTask: SessionTask,
        didReceive data: [UInt8]
    ) async -> `the type of the task is DataTask` { .init() }
}

/// The mistaken methods with a label that is nearly right.
@_documentation(visibility: internal)
public protocol MisspelledLabelMethods: AnyObject, Sendable {
    associatedtype FinishShortMethod = `the label of the file is didFinishDownloadingTo`
    associatedtype CompleteShortMethod = `the label of the error is didCompleteWithError`
    associatedtype MetricsLongMethod = `the label of the metrics is didFinishCollecting`
    associatedtype DataLongMethod = `the label of the data is didReceive`
    associatedtype ResponseLongMethod = `the label of the response is didReceive`

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloading file: DownloadedFile
    ) async -> FinishShortMethod

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didComplete error: DownloadError?
    ) async -> CompleteShortMethod

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollectingMetrics metrics: TaskMetrics
    ) async -> MetricsLongMethod

    func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceiveData data: [UInt8]
    ) async -> DataLongMethod

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceiveResponse response: DownloadResponse
    ) async -> ResponseLongMethod
}

extension MisspelledLabelMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloading file: DownloadedFile
    ) async -> `the label of the file is didFinishDownloadingTo` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didComplete error: DownloadError?
    ) async -> `the label of the error is didCompleteWithError` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollectingMetrics metrics: TaskMetrics
    ) async -> `the label of the metrics is didFinishCollecting` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceiveData data: [UInt8]
    ) async -> `the label of the data is didReceive` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceiveResponse response: DownloadResponse
    ) async -> `the label of the response is didReceive` { .init() }
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the type of the task is DownloadTask`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the type of the task is DataTask`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the label of the file is didFinishDownloadingTo`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the label of the error is didCompleteWithError`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the label of the metrics is didFinishCollecting`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the label of the data is didReceive`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the label of the response is didReceive`: Sendable { init() {} }
