public import struct FoundationEssentials.Data
public import struct FoundationEssentials.URL
public import PawlCore

/// Methods that a delegate must not have, because a session would never call them: they have the
/// names or types of `URLSession`'s delegate, count bytes with `Int`, are misspelled or static,
/// throw, or have no counterpart.
///
/// Each has an associated type for its result, whose default has a name that states what is right. A
/// delegate that implements such a method sets that type to `Void`. ``DownloadSession`` has no
/// initializer for such a delegate, and the compiler's message contains the name of the default:
/// "initializer requires the types '()' and '…' be equivalent".
///
/// The methods are in several protocols, because the compiler's time grows exponentially with the
/// number of associated types in one.
@_documentation(visibility: internal)
public protocol MistypedDelegateMethods:
    MistypedFileMethods, MistypedEndMethods, MistypedResponseMethods,
    MisnamedFileMethods, MisnamedEndMethods, MisnamedProgressMethods, MisnamedSessionMethods,
    MislabelledMethods, MiscountedMethods, MisspelledDelegateMethods, LabelledSessionMethods,
    StaticDelegateMethods, ThrowingDelegateMethods, UnavailableDelegateMethods
{
    /// The types of all methods that a delegate must not have.
    typealias DelegateMistakes = (
        FinishURLMethod,
        FinishPathMethod,
        FinishTaskMethod,
        WriteMethod,
        ResumeMethod,
        CompleteMethod,
        CompleteDownloadMethod,
        CompleteDownloadErrorMethod,
        InvalidMethod,
        DataMethod,
        DataResponseMethod,
        ResponseHandlerMethod,
        DataResponseHandlerMethod,
        URLSessionFinishMethod,
        URLSessionFinishURLMethod,
        URLSessionWriteMethod,
        URLSessionWriteOptionalMethod,
        URLSessionCompleteMethod,
        URLSessionCompleteTypedMethod,
        FinishEventsMethod,
        URLSessionResumeMethod,
        URLSessionResumeOptionalMethod,
        URLSessionWaitMethod,
        URLSessionMetricsMethod,
        URLSessionInvalidMethod,
        URLSessionInvalidTypedMethod,
        URLSessionFinishEventsMethod,
        URLSessionResponseHandlerMethod,
        URLSessionDataMethod,
        CompleteLabelMethod,
        MetricsLabelMethod,
        FinishLabelMethod,
        WaitTaskMethod,
        FinishEventsLabelMethod,
        WriteIntegersMethod,
        WriteIntegerTotalMethod,
        ResumeIntegersMethod,
        ResumeIntegerTotalMethod,
        SpellingMistakes,
        SessionLabelMistakes,
        StaticMistakes,
        ThrownErrors,
        UnavailableMistakes
    )
}

/// The value of `DelegateMistakes` for a delegate without any of these methods.
@_documentation(visibility: internal)
public typealias NoDelegateMistakes = (
    `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`,
    `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`,
    `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadTask`,
    `totalBytesExpectedToWrite is an Int64?`,
    `expectedTotalBytes is an Int64?`,
    `session(_:task:didCompleteWithError:) takes a DownloadError?`,
    `session(_:task:didCompleteWithError:) takes a SessionTask`,
    `session(_:task:didCompleteWithError:) takes a SessionTask and a DownloadError?`,
    `session(_:didBecomeInvalidWithError:) takes a DownloadError?`,
    `session(_:dataTask:didReceive:) takes an array of bytes`,
    `session(_:task:didReceive:) takes a SessionTask`,
    `session(_:task:didReceive:) returns a ResponseDisposition`,
    `session(_:task:didReceive:) returns a ResponseDisposition`,
    `the methods begin with session, not urlSession`,
    `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`,
    `the methods begin with session, not urlSession`,
    `the methods begin with session, not urlSession`,
    `session(_:task:didCompleteWithError:) takes a DownloadError?`,
    `the methods begin with session, not urlSession`,
    `the method is sessionDidFinishEvents(forBackgroundSession:)`,
    `the methods begin with session, not urlSession`,
    `the methods begin with session, not urlSession`,
    `the methods begin with session, not urlSession`,
    `the methods begin with session, not urlSession`,
    `the methods begin with session, not urlSession`,
    `the methods begin with session, not urlSession`,
    `the method is sessionDidFinishEvents(forBackgroundSession:)`,
    `session(_:task:didReceive:) returns a ResponseDisposition`,
    `the methods begin with session, not urlSession`,
    `session(_:task:didCompleteWithError:) takes a SessionTask`,
    `session(_:task:didFinishCollecting:) takes a SessionTask`,
    `the label of the task is downloadTask`,
    `session(_:taskIsWaitingForConnectivity:) takes a SessionTask`,
    `the method is sessionDidFinishEvents(forBackgroundSession:)`,
    `the numbers of bytes are Int64, the total an Int64?`,
    `the numbers of bytes are Int64, the total an Int64?`,
    `the numbers of bytes are Int64, the total an Int64?`,
    `the numbers of bytes are Int64, the total an Int64?`,
    NoSpellingMistakes,
    NoSessionLabelMistakes,
    NoStaticMistakes,
    NoThrownErrors,
    NoUnavailableMistakes
)

/// The mistaken methods for the bytes and the file of a download.
@_documentation(visibility: internal)
public protocol MistypedFileMethods: AnyObject, Sendable {
    associatedtype FinishURLMethod =
        `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`
    associatedtype FinishPathMethod =
        `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`
    associatedtype FinishTaskMethod =
        `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadTask`
    associatedtype WriteMethod = `totalBytesExpectedToWrite is an Int64?`
    associatedtype ResumeMethod = `expectedTotalBytes is an Int64?`

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
        task: SessionTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> FinishTaskMethod

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
}

extension MistypedFileMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo location: URL
    ) async -> `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo path: String
    ) async -> `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadTask` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) async -> `totalBytesExpectedToWrite is an Int64?` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) async -> `expectedTotalBytes is an Int64?` { .init() }
}

/// The mistaken methods for the end of a task or a session.
@_documentation(visibility: internal)
public protocol MistypedEndMethods: AnyObject, Sendable {
    associatedtype CompleteMethod = `session(_:task:didCompleteWithError:) takes a DownloadError?`
    associatedtype CompleteDownloadMethod =
        `session(_:task:didCompleteWithError:) takes a SessionTask`
    associatedtype CompleteDownloadErrorMethod =
        `session(_:task:didCompleteWithError:) takes a SessionTask and a DownloadError?`
    associatedtype InvalidMethod = `session(_:didBecomeInvalidWithError:) takes a DownloadError?`

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
        didBecomeInvalidWithError error: (any Error)?
    ) async -> InvalidMethod
}

extension MistypedEndMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: (any Error)?
    ) async -> `session(_:task:didCompleteWithError:) takes a DownloadError?` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: DownloadTask,
        didCompleteWithError error: DownloadError?
    ) async -> `session(_:task:didCompleteWithError:) takes a SessionTask` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: DownloadTask,
        didCompleteWithError error: (any Error)?
    ) async -> `session(_:task:didCompleteWithError:) takes a SessionTask and a DownloadError?` {
        .init()
    }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: (any Error)?
    ) async -> `session(_:didBecomeInvalidWithError:) takes a DownloadError?` { .init() }
}

/// The mistaken methods for a response and its body.
@_documentation(visibility: internal)
public protocol MistypedResponseMethods: AnyObject, Sendable {
    associatedtype DataMethod = `session(_:dataTask:didReceive:) takes an array of bytes`
    associatedtype DataResponseMethod = `session(_:task:didReceive:) takes a SessionTask`
    associatedtype ResponseHandlerMethod =
        `session(_:task:didReceive:) returns a ResponseDisposition`
    associatedtype DataResponseHandlerMethod =
        `session(_:task:didReceive:) returns a ResponseDisposition`

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
}

extension MistypedResponseMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: Data
    ) async -> `session(_:dataTask:didReceive:) takes an array of bytes` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive response: DownloadResponse
    ) async -> `session(_:task:didReceive:) takes a SessionTask` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse,
        completionHandler: @escaping (ResponseDisposition) -> Void
    ) async -> `session(_:task:didReceive:) returns a ResponseDisposition` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive response: DownloadResponse,
        completionHandler: @escaping (ResponseDisposition) -> Void
    ) async -> `session(_:task:didReceive:) returns a ResponseDisposition` { .init() }
}

/// The mistaken methods whose task has the label or the type of another method.
@_documentation(visibility: internal)
public protocol MislabelledMethods: AnyObject, Sendable {
    associatedtype CompleteLabelMethod = `session(_:task:didCompleteWithError:) takes a SessionTask`
    associatedtype MetricsLabelMethod = `session(_:task:didFinishCollecting:) takes a SessionTask`
    associatedtype FinishLabelMethod = `the label of the task is downloadTask`
    associatedtype WaitTaskMethod = `session(_:taskIsWaitingForConnectivity:) takes a SessionTask`
    associatedtype FinishEventsLabelMethod =
        `the method is sessionDidFinishEvents(forBackgroundSession:)`

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didCompleteWithError error: DownloadError?
    ) async -> CompleteLabelMethod

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishCollecting metrics: TaskMetrics
    ) async -> MetricsLabelMethod

    func session(
        _ session: DownloadSession,
        task: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> FinishLabelMethod

    func session(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: DownloadTask
    ) async -> WaitTaskMethod

    func sessionDidFinishEvents(
        for session: DownloadSession
    ) async -> FinishEventsLabelMethod
}

extension MislabelledMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didCompleteWithError error: DownloadError?
    ) async -> `session(_:task:didCompleteWithError:) takes a SessionTask` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishCollecting metrics: TaskMetrics
    ) async -> `session(_:task:didFinishCollecting:) takes a SessionTask` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> `the label of the task is downloadTask` { .init() }

    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: DownloadTask
    ) async -> `session(_:taskIsWaitingForConnectivity:) takes a SessionTask` { .init() }

    /// Stands for a method that the delegate does not have.
    public func sessionDidFinishEvents(
        for session: DownloadSession
    ) async -> `the method is sessionDidFinishEvents(forBackgroundSession:)` { .init() }
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadTask`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `totalBytesExpectedToWrite is an Int64?`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `expectedTotalBytes is an Int64?`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:task:didCompleteWithError:) takes a DownloadError?`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:task:didCompleteWithError:) takes a SessionTask`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:task:didCompleteWithError:) takes a SessionTask and a DownloadError?`:
    Sendable
{ init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:dataTask:didReceive:) takes an array of bytes`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:task:didReceive:) takes a SessionTask`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:task:didReceive:) returns a ResponseDisposition`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:didBecomeInvalidWithError:) takes a DownloadError?`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the methods begin with session, not urlSession`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the method is sessionDidFinishEvents(forBackgroundSession:)`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:task:didFinishCollecting:) takes a SessionTask`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the label of the task is downloadTask`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:taskIsWaitingForConnectivity:) takes a SessionTask`: Sendable {
    init() {}
}
