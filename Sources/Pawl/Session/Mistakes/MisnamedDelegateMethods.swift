public import struct FoundationEssentials.Data
public import struct FoundationEssentials.URL
public import PawlCore

/// The mistaken methods for the bytes and the file of a download, with the names of `URLSession`.
@_documentation(visibility: internal)
public protocol MisnamedFileMethods: AnyObject, Sendable {
    associatedtype URLSessionFinishMethod = `the methods begin with session, not urlSession`
    associatedtype URLSessionFinishURLMethod =
        `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`
    associatedtype URLSessionWriteMethod = `the methods begin with session, not urlSession`
    associatedtype URLSessionWriteOptionalMethod = `the methods begin with session, not urlSession`

    func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> URLSessionFinishMethod

    func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo location: URL
    ) async -> URLSessionFinishURLMethod

    func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) async -> URLSessionWriteMethod

    func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> URLSessionWriteOptionalMethod
}

extension MisnamedFileMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> `the methods begin with session, not urlSession` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo location: URL
    ) async -> `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) async -> `the methods begin with session, not urlSession` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> `the methods begin with session, not urlSession` { .init() }
}

/// The mistaken methods for the end of a task or of events, with the names of `URLSession`.
@_documentation(visibility: internal)
public protocol MisnamedEndMethods: AnyObject, Sendable {
    associatedtype URLSessionCompleteMethod =
        `session(_:task:didCompleteWithError:) takes a DownloadError?`
    associatedtype URLSessionCompleteTypedMethod = `the methods begin with session, not urlSession`
    associatedtype FinishEventsMethod =
        `the method is sessionDidFinishEvents(forBackgroundSession:)`

    func urlSession(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: (any Error)?
    ) async -> URLSessionCompleteMethod

    func urlSession(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async -> URLSessionCompleteTypedMethod

    func sessionDidFinishEvents(
        forBackgroundURLSession session: DownloadSession
    ) async -> FinishEventsMethod
}

extension MisnamedEndMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: (any Error)?
    ) async -> `session(_:task:didCompleteWithError:) takes a DownloadError?` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async -> `the methods begin with session, not urlSession` { .init() }

    /// Stands for a method that the delegate does not have.
    public func sessionDidFinishEvents(
        forBackgroundURLSession session: DownloadSession
    ) async -> `the method is sessionDidFinishEvents(forBackgroundSession:)` { .init() }
}

/// The mistaken methods for progress and waiting, with the names of `URLSession`.
@_documentation(visibility: internal)
public protocol MisnamedProgressMethods: AnyObject, Sendable {
    associatedtype URLSessionResumeMethod = `the methods begin with session, not urlSession`
    associatedtype URLSessionResumeOptionalMethod = `the methods begin with session, not urlSession`
    associatedtype URLSessionWaitMethod = `the methods begin with session, not urlSession`
    associatedtype URLSessionMetricsMethod = `the methods begin with session, not urlSession`

    func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) async -> URLSessionResumeMethod

    func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async -> URLSessionResumeOptionalMethod

    func urlSession(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async -> URLSessionWaitMethod

    func urlSession(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async -> URLSessionMetricsMethod
}

extension MisnamedProgressMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) async -> `the methods begin with session, not urlSession` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async -> `the methods begin with session, not urlSession` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async -> `the methods begin with session, not urlSession` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async -> `the methods begin with session, not urlSession` { .init() }
}

/// The mistaken methods for the end of a session, and for data, with the names of `URLSession`.
@_documentation(visibility: internal)
public protocol MisnamedSessionMethods: AnyObject, Sendable {
    associatedtype URLSessionInvalidMethod = `the methods begin with session, not urlSession`
    associatedtype URLSessionInvalidTypedMethod = `the methods begin with session, not urlSession`
    associatedtype URLSessionFinishEventsMethod =
        `the method is sessionDidFinishEvents(forBackgroundSession:)`
    associatedtype URLSessionResponseHandlerMethod =
        `session(_:task:didReceive:) returns a ResponseDisposition`
    associatedtype URLSessionDataMethod = `the methods begin with session, not urlSession`

    func urlSession(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: (any Error)?
    ) async -> URLSessionInvalidMethod

    func urlSession(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async -> URLSessionInvalidTypedMethod

    func urlSessionDidFinishEvents(
        forBackgroundURLSession session: DownloadSession
    ) async -> URLSessionFinishEventsMethod

    func urlSession(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive response: DownloadResponse,
        completionHandler: @escaping (ResponseDisposition) -> Void
    ) async -> URLSessionResponseHandlerMethod

    func urlSession(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: Data
    ) async -> URLSessionDataMethod
}

extension MisnamedSessionMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: (any Error)?
    ) async -> `the methods begin with session, not urlSession` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async -> `the methods begin with session, not urlSession` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSessionDidFinishEvents(
        forBackgroundURLSession session: DownloadSession
    ) async -> `the method is sessionDidFinishEvents(forBackgroundSession:)` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive response: DownloadResponse,
        completionHandler: @escaping (ResponseDisposition) -> Void
    ) async -> `session(_:task:didReceive:) returns a ResponseDisposition` { .init() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: Data
    ) async -> `the methods begin with session, not urlSession` { .init() }
}
