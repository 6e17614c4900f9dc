public import struct FoundationEssentials.Data
public import struct FoundationEssentials.URL
public import PawlCore

/// The type of methods that a delegate does not implement.
@_documentation(visibility: internal)
public struct AbsentMethod: Sendable { fileprivate init() {} }

/// Methods that a delegate must not have, because a session would never call them: they have the
/// names or types of `URLSession`'s delegate.
///
/// Each has an associated type for its result. A delegate that implements such a method sets that
/// type to `Void`, and ``DownloadSession`` has no initializer for such a delegate but an
/// unavailable one, whose message names the right method.
@_documentation(visibility: internal)
public protocol MistypedDelegateMethods: AnyObject, Sendable {
    associatedtype FinishURLMethod = AbsentMethod
    associatedtype FinishPathMethod = AbsentMethod
    associatedtype WriteMethod = AbsentMethod
    associatedtype ResumeMethod = AbsentMethod
    associatedtype CompleteMethod = AbsentMethod
    associatedtype CompleteDownloadMethod = AbsentMethod
    associatedtype CompleteDownloadErrorMethod = AbsentMethod
    associatedtype DataMethod = AbsentMethod
    associatedtype DataResponseMethod = AbsentMethod
    associatedtype ResponseHandlerMethod = AbsentMethod
    associatedtype DataResponseHandlerMethod = AbsentMethod
    associatedtype InvalidMethod = AbsentMethod
    associatedtype URLSessionFinishMethod = AbsentMethod
    associatedtype URLSessionFinishURLMethod = AbsentMethod
    associatedtype URLSessionWriteMethod = AbsentMethod
    associatedtype URLSessionWriteOptionalMethod = AbsentMethod
    associatedtype URLSessionCompleteMethod = AbsentMethod
    associatedtype URLSessionCompleteTypedMethod = AbsentMethod
    associatedtype FinishEventsMethod = AbsentMethod

    /// The types of all methods that a delegate must not have.
    typealias DelegateMistakes = (
        FinishURLMethod,
        FinishPathMethod,
        WriteMethod,
        ResumeMethod,
        CompleteMethod,
        CompleteDownloadMethod,
        CompleteDownloadErrorMethod,
        DataMethod,
        DataResponseMethod,
        ResponseHandlerMethod,
        DataResponseHandlerMethod,
        InvalidMethod,
        URLSessionFinishMethod,
        URLSessionFinishURLMethod,
        URLSessionWriteMethod,
        URLSessionWriteOptionalMethod,
        URLSessionCompleteMethod,
        URLSessionCompleteTypedMethod,
        FinishEventsMethod
    )

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo location: URL
    ) async -> FinishURLMethod

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo path: String
    ) async -> FinishPathMethod

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) async -> WriteMethod

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) async -> ResumeMethod

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: (any Error)?
    ) async -> CompleteMethod

    func session(
        _ session: DownloadSession,
        task: DownloadTask,
        didCompleteWithError error: DownloadError?
    ) async -> CompleteDownloadMethod

    func session(
        _ session: DownloadSession,
        task: DownloadTask,
        didCompleteWithError error: (any Error)?
    ) async -> CompleteDownloadErrorMethod

    func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: Data
    ) async -> DataMethod

    func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive response: DownloadResponse
    ) async -> DataResponseMethod

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse,
        completionHandler: @escaping (ResponseDisposition) -> Void
    ) async -> ResponseHandlerMethod

    func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive response: DownloadResponse,
        completionHandler: @escaping (ResponseDisposition) -> Void
    ) async -> DataResponseHandlerMethod

    func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: (any Error)?
    ) async -> InvalidMethod

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

extension MistypedDelegateMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo location: URL
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo path: String
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: (any Error)?
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: DownloadTask,
        didCompleteWithError error: DownloadError?
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: DownloadTask,
        didCompleteWithError error: (any Error)?
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: Data
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive response: DownloadResponse
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse,
        completionHandler: @escaping (ResponseDisposition) -> Void
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive response: DownloadResponse,
        completionHandler: @escaping (ResponseDisposition) -> Void
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: (any Error)?
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo location: URL
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: (any Error)?
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async -> AbsentMethod { AbsentMethod() }

    /// Stands for a method that the delegate does not have.
    public func sessionDidFinishEvents(
        forBackgroundURLSession session: DownloadSession
    ) async -> AbsentMethod { AbsentMethod() }
}

/// The value of `DelegateMistakes` for a delegate without any of these methods.
@_documentation(visibility: internal)
public typealias NoDelegateMistakes = (
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod,
    AbsentMethod
)
