public import struct FoundationEssentials.Data
public import struct FoundationEssentials.URL
public import PawlCore

// Names of `URLSession` and its tasks. A program that uses one does not compile, and the compiler's
// message names what to use.

extension DownloadSession {
    /// Is `init(_:delegate:)`.
    @available(
        *,
        unavailable,
        message: "use DownloadSession(_:delegate:), with configuration.delegateExecutor"
    )
    public convenience init(
        configuration: SessionConfiguration,
        delegate: (any DownloadSessionDelegate)? = nil,
        delegateQueue: (any Sendable)? = nil
    ) {
        self.init(configuration)
    }

    /// Is `init(_:delegate:)`.
    @available(
        *,
        unavailable,
        message: "use DownloadSession(_:delegate:), with configuration.delegateExecutor"
    )
    public convenience init(
        configuration: SessionConfiguration,
        delegate: (any DownloadSessionDelegate)? = nil,
        delegateQueue: ForeignDelegateQueue
    ) {
        self.init(configuration)
    }

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

    /// Is ``download(resuming:_:)``, which returns the file with its response.
    @available(
        *,
        unavailable,
        message: "use 'download(resuming:)': the returned file has a 'path' and the 'response'"
    )
    public func download(
        resumeFrom data: ResumeData
    ) async throws(DownloadError) -> (DownloadedFile, DownloadResponse?) {
        let file = try await download(resuming: data)
        return (file, file.response)
    }

    /// Is ``download(resuming:_:)``, which takes ``ResumeData``.
    @available(
        *,
        unavailable,
        message:
            "use 'download(resuming:)' with 'ResumeData(data:)' or 'ResumeData(appleResumeData:)'"
    )
    public func download(
        resumeFrom data: Data
    ) async throws(DownloadError) -> (DownloadedFile, DownloadResponse?) {
        let file = try await download(resuming: ResumeData(data: data))
        return (file, file.response)
    }

    /// Is ``downloadTask(withResumeData:_:completionHandler:)``, which takes ``ResumeData``.
    @available(
        *,
        unavailable,
        message:
            "use 'try' and 'ResumeData(data: data)'; for Apple's data 'ResumeData(appleResumeData:)'"
    )
    public func downloadTask(
        withResumeData data: Data,
        completionHandler: DownloadCompletionHandler? = nil
    ) -> DownloadTask {
        downloadTask(with: URL(filePath: "/"), completionHandler: completionHandler)
    }
}

extension SessionConfiguration {
    /// Is called ``background(identifier:)``.
    @available(*, unavailable, renamed: "background(identifier:)")
    public static func background(withIdentifier identifier: String) -> SessionConfiguration {
        background(identifier: identifier)
    }

    /// Is ``DownloadSettings/allowsExpensiveNetwork``.
    @available(*, unavailable, message: "use 'settings.allowsExpensiveNetwork'")
    public var allowsCellularAccess: Bool {
        get { settings.allowsExpensiveNetwork }
        set { settings.allowsExpensiveNetwork = newValue }
    }

    /// Is ``DownloadSettings/allowsExpensiveNetwork``.
    @available(*, unavailable, message: "use 'settings.allowsExpensiveNetwork'")
    public var allowsExpensiveNetworkAccess: Bool {
        get { settings.allowsExpensiveNetwork }
        set { settings.allowsExpensiveNetwork = newValue }
    }

    /// Is ``DownloadSettings/waitsForConnectivity``.
    @available(*, unavailable, message: "use 'settings.waitsForConnectivity'")
    public var waitsForConnectivity: Bool {
        get { settings.waitsForConnectivity }
        set { settings.waitsForConnectivity = newValue }
    }

    /// Is called ``connectionsPerHost``.
    @available(*, unavailable, renamed: "connectionsPerHost")
    public var httpMaximumConnectionsPerHost: Int {
        get { connectionsPerHost }
        set { connectionsPerHost = newValue }
    }

    /// Is ``DownloadSettings/stallTimeout``.
    @available(
        *,
        unavailable,
        message: "use 'settings.stallTimeout', a Duration such as '.seconds(60)'"
    )
    public var timeoutIntervalForRequest: Double {
        get { 0 }
        set { settings.stallTimeout = .seconds(newValue) }
    }

    /// Is ``DownloadSettings/maximumDuration``.
    @available(
        *,
        unavailable,
        message: "use 'settings.maximumDuration', a Duration such as '.seconds(60)'"
    )
    public var timeoutIntervalForResource: Double {
        get { 0 }
        set { settings.maximumDuration = .seconds(newValue) }
    }

    /// Is ``DownloadSettings/fields``.
    @available(
        *,
        unavailable,
        message: "use 'settings.setValue(_:forHTTPHeaderField:)' for each field"
    )
    public var httpAdditionalHeaders: [AnyHashable: Any]? {
        get { nil }
        set { _ = newValue }
    }

    /// Has no counterpart.
    @available(
        *,
        unavailable,
        message: "use 'earliestBeginDate' and 'priority' of a task, or 'limitBytesPerSecond'"
    )
    public var isDiscretionary: Bool {
        get { false }
        set { _ = newValue }
    }

    /// Is ``relaunchCommand``.
    @available(*, unavailable, message: "use 'relaunchCommand'")
    public var sessionSendsLaunchEvents: Bool {
        get { relaunchCommand != nil }
        set { _ = newValue }
    }

    /// Is part of ``kind``.
    @available(*, unavailable, message: "use 'kind', which is '.background(identifier:)'")
    public var identifier: String? {
        guard case .background(let identifier) = kind else { return nil }
        return identifier
    }
}

extension DownloadRequest {
    /// Is ``init(_:adjusting:)``.
    @available(*, unavailable, renamed: "init(_:)")
    public init(url: URL) { self.init(url) }

    /// Is called ``method``.
    @available(*, unavailable, renamed: "method")
    public var httpMethod: String? {
        get { method }
        set { method = newValue ?? "GET" }
    }

    /// Is ``body``, and a property of the module `PawlFoundation`.
    @available(*, unavailable, message: "use 'body = Array(data)', or import PawlFoundation")
    public var httpBody: Data? {
        get { Data(body) }
        set { body = newValue.map { Array($0) } ?? [] }
    }

    /// Is ``fields``.
    @available(
        *,
        unavailable,
        message: "use 'fields', or 'setValue(_:forHTTPHeaderField:)' for each field"
    )
    public var allHTTPHeaderFields: [String: String]? {
        get { nil }
        set { _ = newValue }
    }

    /// Is ``DownloadSettings/stallTimeout``.
    @available(*, unavailable, message: "use 'adjust { $0.stallTimeout = .seconds(60) }'")
    public var timeoutInterval: Double {
        get { 0 }
        set { adjust { $0.stallTimeout = .seconds(newValue) } }
    }
}

extension TaskState {
    /// Is ``finished``, ``failed`` or ``cancelled``.
    @available(*, unavailable, message: "use '.finished', '.failed' or '.cancelled', or 'isEnd'")
    public static var completed: TaskState { .finished }

    /// Has no counterpart.
    @available(*, unavailable, message: "use '.cancelled': a task is cancelled at once")
    public static var canceling: TaskState { .cancelled }
}

extension SessionTask {
    /// Is `currentProgress.completedBytes`.
    @available(*, unavailable, message: "use 'currentProgress.completedBytes'")
    public var countOfBytesReceived: Int64 { currentProgress.completedBytes }

    /// Is `currentProgress.totalBytes`.
    @available(*, unavailable, message: "use 'currentProgress.totalBytes'")
    public var countOfBytesExpectedToReceive: Int64 { currentProgress.totalBytes ?? -1 }

    /// Is ``originalRequest`` and the URL of ``response``.
    @available(*, unavailable, message: "use 'originalRequest', and 'response?.url'")
    public var currentRequest: DownloadRequest? { originalRequest }

    /// Has no counterpart.
    @available(
        *,
        unavailable,
        message: "use the task's 'events', or a session of its own with another delegate"
    )
    public var delegate: (any DownloadSessionDelegate)? {
        get { session.delegate }
        set { _ = newValue }
    }
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

extension DownloadProgress {
    /// Is called ``fraction``.
    @available(*, unavailable, renamed: "fraction")
    public var fractionCompleted: Double { fraction ?? 0 }
}

extension TotalProgress {
    /// Is called ``fraction``.
    @available(*, unavailable, renamed: "fraction")
    public var fractionCompleted: Double { fraction ?? 0 }
}

/// A queue of another system, which a session does not use.
@_documentation(visibility: internal)
public struct ForeignDelegateQueue: Sendable {
    /// Stands for the main queue.
    public static var main: ForeignDelegateQueue { ForeignDelegateQueue() }

    private init() {}
}
