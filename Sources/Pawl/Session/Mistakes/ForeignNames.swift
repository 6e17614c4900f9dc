public import struct FoundationEssentials.URL
public import PawlCore

// Names of `URLSession` and its tasks. A program that uses one does not compile, and the compiler's
// message says what to use.

extension DownloadSession {
    /// Is the property ``allTasks``.
    @available(*, unavailable, message: "use 'await session.allTasks'")
    public func getAllTasks(completionHandler: @escaping @Sendable ([SessionTask]) -> Void) {}

    /// Is the property ``allTasks``.
    @available(
        *,
        unavailable,
        message: "use 'await session.allTasks', or its dataTasks and downloadTasks"
    )
    public func getTasksWithCompletionHandler(
        _ completionHandler: @escaping @Sendable ([DataTask], [SessionTask], [DownloadTask]) -> Void
    ) {}

    /// Is the property ``allTasks``.
    @available(
        *,
        unavailable,
        message: "use 'await session.allTasks', or its dataTasks and downloadTasks"
    )
    public var tasks: ([DataTask], [SessionTask], [DownloadTask]) { ([], [], []) }

    /// Is ``download(_:to:adjusting:)``, which returns the file with its response.
    @available(
        *,
        unavailable,
        message: "use 'download(_:to:)': the returned file has a 'path' and the 'response'"
    )
    public func download(
        from url: URL
    ) async throws(DownloadError) -> (DownloadedFile, DownloadResponse?) {
        let file = try await download(url)
        return (file, file.response)
    }

    /// Is ``download(_:to:)``, which returns the file with its response.
    @available(
        *,
        unavailable,
        message: "use 'download(_:to:)': the returned file has a 'path' and the 'response'"
    )
    public func download(
        for request: DownloadRequest
    ) async throws(DownloadError) -> (DownloadedFile, DownloadResponse?) {
        let file = try await download(request)
        return (file, file.response)
    }
}

extension SessionConfiguration {
    /// Is called ``background(identifier:)``.
    @available(*, unavailable, renamed: "background(identifier:)")
    public static func background(withIdentifier identifier: String) -> SessionConfiguration {
        background(identifier: identifier)
    }
}

extension DownloadRequest {
    /// Is ``init(_:adjusting:)``.
    @available(*, unavailable, renamed: "init(_:)")
    public init(url: URL) { self.init(url) }
}

extension SessionTask {
    /// Is `currentProgress.completedBytes`.
    @available(*, unavailable, message: "use 'currentProgress.completedBytes'")
    public var countOfBytesReceived: Int64 { currentProgress.completedBytes }

    /// Is `currentProgress.totalBytes`.
    @available(*, unavailable, message: "use 'currentProgress.totalBytes'")
    public var countOfBytesExpectedToReceive: Int64 { currentProgress.totalBytes ?? -1 }
}

extension DownloadTask {
    /// Is ``cancelByProducingResumeData()``.
    @available(*, unavailable, message: "use 'await cancelByProducingResumeData()'")
    public func cancel(
        byProducingResumeData completionHandler: @escaping @Sendable (ResumeData?) -> Void
    ) {}
}

extension ProgressUpdates {
    /// Is `currentProgress.fraction` of the task.
    @available(
        *,
        unavailable,
        message:
            "use 'currentProgress.fraction' of the task, or 'foundationProgress()' of PawlFoundation"
    )
    public var fractionCompleted: Double { 0 }
}

extension TotalProgress {
    /// Is called ``fraction``.
    @available(*, unavailable, renamed: "fraction")
    public var fractionCompleted: Double { fraction ?? 0 }
}
