public import PawlCore

/// The mistaken methods that are static.
@_documentation(visibility: internal)
public protocol StaticDelegateMethods:
    StaticFileMethods, StaticTaskMethods, StaticEndMethods
{
    /// The types of these methods.
    typealias StaticMistakes = (
        StaticWriteMethod,
        StaticResumeMethod,
        StaticStartOverMethod,
        StaticFinishMethod,
        StaticCompleteMethod,
        StaticDataMethod,
        StaticResponseMethod,
        StaticWaitMethod,
        StaticMetricsMethod,
        StaticInvalidMethod,
        StaticFinishEventsMethod
    )
}

/// The value of `StaticMistakes` for a delegate without any of these methods.
@_documentation(visibility: internal)
public typealias NoStaticMistakes = (
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`,
    `the methods of a delegate are not static`
)

/// A part of the mistaken methods that are static.
@_documentation(visibility: internal)
public protocol StaticFileMethods: AnyObject, Sendable {
    associatedtype StaticWriteMethod = `the methods of a delegate are not static`
    associatedtype StaticResumeMethod = `the methods of a delegate are not static`
    associatedtype StaticStartOverMethod = `the methods of a delegate are not static`
    associatedtype StaticFinishMethod = `the methods of a delegate are not static`

    static func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> StaticWriteMethod

    static func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async -> StaticResumeMethod

    static func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) async -> StaticStartOverMethod

    static func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> StaticFinishMethod
}

extension StaticFileMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) async -> `the methods of a delegate are not static` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) async -> `the methods of a delegate are not static` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) async -> `the methods of a delegate are not static` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) async -> `the methods of a delegate are not static` { .init() }
}

/// A part of the mistaken methods that are static.
@_documentation(visibility: internal)
public protocol StaticTaskMethods: AnyObject, Sendable {
    associatedtype StaticCompleteMethod = `the methods of a delegate are not static`
    associatedtype StaticDataMethod = `the methods of a delegate are not static`
    associatedtype StaticResponseMethod = `the methods of a delegate are not static`
    associatedtype StaticWaitMethod = `the methods of a delegate are not static`

    static func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async -> StaticCompleteMethod

    static func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) async -> StaticDataMethod

    static func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) async -> StaticResponseMethod

    static func session(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async -> StaticWaitMethod
}

extension StaticTaskMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async -> `the methods of a delegate are not static` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) async -> `the methods of a delegate are not static` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) async -> `the methods of a delegate are not static` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        taskIsWaitingForConnectivity task: SessionTask
    ) async -> `the methods of a delegate are not static` { .init() }
}

/// A part of the mistaken methods that are static.
@_documentation(visibility: internal)
public protocol StaticEndMethods: AnyObject, Sendable {
    associatedtype StaticMetricsMethod = `the methods of a delegate are not static`
    associatedtype StaticInvalidMethod = `the methods of a delegate are not static`
    associatedtype StaticFinishEventsMethod = `the methods of a delegate are not static`

    static func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async -> StaticMetricsMethod

    static func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async -> StaticInvalidMethod

    static func sessionDidFinishEvents(
        forBackgroundSession session: DownloadSession
    ) async -> StaticFinishEventsMethod
}

extension StaticEndMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) async -> `the methods of a delegate are not static` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func session(
        _ session: DownloadSession,
        didBecomeInvalidWithError error: DownloadError?
    ) async -> `the methods of a delegate are not static` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public static func sessionDidFinishEvents(
        forBackgroundSession session: DownloadSession
    ) async -> `the methods of a delegate are not static` { .init() }
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the methods of a delegate are not static`: Sendable { init() {} }
