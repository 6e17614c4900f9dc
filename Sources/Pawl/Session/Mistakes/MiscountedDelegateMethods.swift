/// The mistaken methods whose numbers of bytes are of the type `Int`.
@_documentation(visibility: internal)
public protocol MiscountedMethods: AnyObject, Sendable {
    associatedtype WriteIntegersMethod = `the numbers of bytes are Int64, the total an Int64?`
    associatedtype WriteIntegerTotalMethod = `the numbers of bytes are Int64, the total an Int64?`
    associatedtype ResumeIntegersMethod = `the numbers of bytes are Int64, the total an Int64?`
    associatedtype ResumeIntegerTotalMethod = `the numbers of bytes are Int64, the total an Int64?`

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int,
        totalBytesWritten: Int,
        totalBytesExpectedToWrite: Int?
    ) async -> WriteIntegersMethod

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int,
        totalBytesWritten: Int,
        totalBytesExpectedToWrite: Int
    ) async -> WriteIntegerTotalMethod

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int,
        expectedTotalBytes: Int?
    ) async -> ResumeIntegersMethod

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int,
        expectedTotalBytes: Int
    ) async -> ResumeIntegerTotalMethod
}

extension MiscountedMethods {
    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int,
        totalBytesWritten: Int,
        totalBytesExpectedToWrite: Int?
    ) async -> `the numbers of bytes are Int64, the total an Int64?` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int,
        totalBytesWritten: Int,
        totalBytesExpectedToWrite: Int
    ) async -> `the numbers of bytes are Int64, the total an Int64?` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int,
        expectedTotalBytes: Int?
    ) async -> `the numbers of bytes are Int64, the total an Int64?` { .init() }

    /// Stands for a method that the delegate does not have.
    @_disfavoredOverload
    public func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int,
        expectedTotalBytes: Int
    ) async -> `the numbers of bytes are Int64, the total an Int64?` { .init() }
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `the numbers of bytes are Int64, the total an Int64?`: Sendable { init() {} }
