// Methods of `URLSession`'s delegate without a counterpart, with their own names.

/// A method for challenges that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignSessionChallengeCallbackMethods: AnyObject, Sendable {
    associatedtype ForeignSessionChallengeCallbackValue: AnyObject = AbsentArgument
    associatedtype ForeignSessionChallengeCallbackHandler = AbsentArgument
    associatedtype ForeignSessionChallengeCallbackMethod =
        `no method answers challenges: use settings.credentials or settings.connection`

    func urlSession(
        _ session: DownloadSession,
        didReceive challenge: ForeignSessionChallengeCallbackValue,
        completionHandler: ForeignSessionChallengeCallbackHandler
    ) async -> ForeignSessionChallengeCallbackMethod
}

extension ForeignSessionChallengeCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        didReceive challenge: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method answers challenges: use settings.credentials or settings.connection` {
        .init()
    }
}

/// A method for challenges that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignSessionChallengeMethods: AnyObject, Sendable {
    associatedtype ForeignSessionChallengeValue: AnyObject = AbsentArgument
    associatedtype ForeignSessionChallengeMethod =
        `no method answers challenges: use settings.credentials or settings.connection`

    func urlSession(
        _ session: DownloadSession,
        didReceive challenge: ForeignSessionChallengeValue
    ) async -> ForeignSessionChallengeMethod
}

extension ForeignSessionChallengeMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        didReceive challenge: AbsentArgument
    ) async -> `no method answers challenges: use settings.credentials or settings.connection` {
        .init()
    }
}

/// A method for challenges that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignTaskChallengeCallbackMethods: AnyObject, Sendable {
    associatedtype ForeignTaskChallengeCallbackTask = AbsentArgument
    associatedtype ForeignTaskChallengeCallbackValue: AnyObject = AbsentArgument
    associatedtype ForeignTaskChallengeCallbackHandler = AbsentArgument
    associatedtype ForeignTaskChallengeCallbackMethod =
        `no method answers challenges: use settings.credentials or settings.connection`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignTaskChallengeCallbackTask,
        didReceive challenge: ForeignTaskChallengeCallbackValue,
        completionHandler: ForeignTaskChallengeCallbackHandler
    ) async -> ForeignTaskChallengeCallbackMethod
}

extension ForeignTaskChallengeCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        didReceive challenge: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method answers challenges: use settings.credentials or settings.connection` {
        .init()
    }
}

/// A method for challenges that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignTaskChallengeMethods: AnyObject, Sendable {
    associatedtype ForeignTaskChallengeTask = AbsentArgument
    associatedtype ForeignTaskChallengeValue: AnyObject = AbsentArgument
    associatedtype ForeignTaskChallengeMethod =
        `no method answers challenges: use settings.credentials or settings.connection`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignTaskChallengeTask,
        didReceive challenge: ForeignTaskChallengeValue
    ) async -> ForeignTaskChallengeMethod
}

extension ForeignTaskChallengeMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        didReceive challenge: AbsentArgument
    ) async -> `no method answers challenges: use settings.credentials or settings.connection` {
        .init()
    }
}

/// A method for redirects and delayed requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignRedirectionCallbackMethods: AnyObject, Sendable {
    associatedtype ForeignRedirectionCallbackTask = AbsentArgument
    associatedtype ForeignRedirectionCallbackResponse = AbsentArgument
    associatedtype ForeignRedirectionCallbackRequest = AbsentArgument
    associatedtype ForeignRedirectionCallbackHandler = AbsentArgument
    associatedtype ForeignRedirectionCallbackMethod =
        `no method decides on redirects: use settings.maximumRedirects`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignRedirectionCallbackTask,
        willPerformHTTPRedirection response: ForeignRedirectionCallbackResponse,
        newRequest request: ForeignRedirectionCallbackRequest,
        completionHandler: ForeignRedirectionCallbackHandler
    ) async -> ForeignRedirectionCallbackMethod
}

extension ForeignRedirectionCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        willPerformHTTPRedirection response: AbsentArgument,
        newRequest request: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method decides on redirects: use settings.maximumRedirects` { .init() }
}

/// A method for redirects and delayed requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignRedirectionMethods: AnyObject, Sendable {
    associatedtype ForeignRedirectionTask = AbsentArgument
    associatedtype ForeignRedirectionResponse = AbsentArgument
    associatedtype ForeignRedirectionRequest = AbsentArgument
    associatedtype ForeignRedirectionMethod =
        `no method decides on redirects: use settings.maximumRedirects`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignRedirectionTask,
        willPerformHTTPRedirection response: ForeignRedirectionResponse,
        newRequest request: ForeignRedirectionRequest
    ) async -> ForeignRedirectionMethod
}

extension ForeignRedirectionMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        willPerformHTTPRedirection response: AbsentArgument,
        newRequest request: AbsentArgument
    ) async -> `no method decides on redirects: use settings.maximumRedirects` { .init() }
}

/// A method for redirects and delayed requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignDelayedRequestCallbackMethods: AnyObject, Sendable {
    associatedtype ForeignDelayedRequestCallbackTask = AbsentArgument
    associatedtype ForeignDelayedRequestCallbackRequest = AbsentArgument
    associatedtype ForeignDelayedRequestCallbackHandler = AbsentArgument
    associatedtype ForeignDelayedRequestCallbackMethod =
        `no method delays a request: use task.earliestBeginDate`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignDelayedRequestCallbackTask,
        willBeginDelayedRequest request: ForeignDelayedRequestCallbackRequest,
        completionHandler: ForeignDelayedRequestCallbackHandler
    ) async -> ForeignDelayedRequestCallbackMethod
}

extension ForeignDelayedRequestCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        willBeginDelayedRequest request: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method delays a request: use task.earliestBeginDate` { .init() }
}

/// A method for redirects and delayed requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignDelayedRequestMethods: AnyObject, Sendable {
    associatedtype ForeignDelayedRequestTask = AbsentArgument
    associatedtype ForeignDelayedRequestRequest = AbsentArgument
    associatedtype ForeignDelayedRequestMethod =
        `no method delays a request: use task.earliestBeginDate`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignDelayedRequestTask,
        willBeginDelayedRequest request: ForeignDelayedRequestRequest
    ) async -> ForeignDelayedRequestMethod
}

extension ForeignDelayedRequestMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        willBeginDelayedRequest request: AbsentArgument
    ) async -> `no method delays a request: use task.earliestBeginDate` { .init() }
}

/// A method for bodies of requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignBodyStreamCallbackMethods: AnyObject, Sendable {
    associatedtype ForeignBodyStreamCallbackTask = AbsentArgument
    associatedtype ForeignBodyStreamCallbackHandler = AbsentArgument
    associatedtype ForeignBodyStreamCallbackMethod = `no method provides a body: use request.body`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignBodyStreamCallbackTask,
        needNewBodyStream completionHandler: ForeignBodyStreamCallbackHandler
    ) async -> ForeignBodyStreamCallbackMethod
}

extension ForeignBodyStreamCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        needNewBodyStream completionHandler: AbsentArgument
    ) async -> `no method provides a body: use request.body` { .init() }
}

/// A method for bodies of requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignBodyStreamMethods: AnyObject, Sendable {
    associatedtype ForeignBodyStreamTask = AbsentArgument
    associatedtype ForeignBodyStreamMethod = `no method provides a body: use request.body`

    func urlSession(
        _ session: DownloadSession,
        needNewBodyStreamForTask task: ForeignBodyStreamTask
    ) async -> ForeignBodyStreamMethod
}

extension ForeignBodyStreamMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        needNewBodyStreamForTask task: AbsentArgument
    ) async -> `no method provides a body: use request.body` { .init() }
}

/// A method for bodies of requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignBodyStreamFromCallbackMethods: AnyObject, Sendable {
    associatedtype ForeignBodyStreamFromCallbackTask = AbsentArgument
    associatedtype ForeignBodyStreamFromCallbackOffset = AbsentArgument
    associatedtype ForeignBodyStreamFromCallbackHandler = AbsentArgument
    associatedtype ForeignBodyStreamFromCallbackMethod =
        `no method provides a body: use request.body`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignBodyStreamFromCallbackTask,
        needNewBodyStreamFrom offset: ForeignBodyStreamFromCallbackOffset,
        completionHandler: ForeignBodyStreamFromCallbackHandler
    ) async -> ForeignBodyStreamFromCallbackMethod
}

extension ForeignBodyStreamFromCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        needNewBodyStreamFrom offset: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method provides a body: use request.body` { .init() }
}

/// A method for bodies of requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignSentBytesMethods: AnyObject, Sendable {
    associatedtype ForeignSentBytesTask = AbsentArgument
    associatedtype ForeignSentBytesCount = AbsentArgument
    associatedtype ForeignSentBytesTotal = AbsentArgument
    associatedtype ForeignSentBytesExpected = AbsentArgument
    associatedtype ForeignSentBytesMethod =
        `no method reports sent bytes: request.body is sent as a whole`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignSentBytesTask,
        didSendBodyData bytesSent: ForeignSentBytesCount,
        totalBytesSent: ForeignSentBytesTotal,
        totalBytesExpectedToSend: ForeignSentBytesExpected
    ) async -> ForeignSentBytesMethod
}

extension ForeignSentBytesMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        didSendBodyData bytesSent: AbsentArgument,
        totalBytesSent: AbsentArgument,
        totalBytesExpectedToSend: AbsentArgument
    ) async -> `no method reports sent bytes: request.body is sent as a whole` { .init() }
}

/// A method for responses that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignInformationalResponseMethods: AnyObject, Sendable {
    associatedtype ForeignInformationalResponseTask = AbsentArgument
    associatedtype ForeignInformationalResponseResponse = AbsentArgument
    associatedtype ForeignInformationalResponseMethod =
        `only the final response is reported, by session(_:task:didReceive:)`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignInformationalResponseTask,
        didReceiveInformationalResponse response: ForeignInformationalResponseResponse
    ) async -> ForeignInformationalResponseMethod
}

extension ForeignInformationalResponseMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        didReceiveInformationalResponse response: AbsentArgument
    ) async -> `only the final response is reported, by session(_:task:didReceive:)` { .init() }
}

/// A method for responses that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignCachedResponseCallbackMethods: AnyObject, Sendable {
    associatedtype ForeignCachedResponseCallbackTask = AbsentArgument
    associatedtype ForeignCachedResponseCallbackResponse = AbsentArgument
    associatedtype ForeignCachedResponseCallbackHandler = AbsentArgument
    associatedtype ForeignCachedResponseCallbackMethod =
        `a session has no cache of responses: use a DownloadLibrary`

    func urlSession(
        _ session: DownloadSession,
        dataTask: ForeignCachedResponseCallbackTask,
        willCacheResponse proposedResponse: ForeignCachedResponseCallbackResponse,
        completionHandler: ForeignCachedResponseCallbackHandler
    ) async -> ForeignCachedResponseCallbackMethod
}

extension ForeignCachedResponseCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        dataTask: AbsentArgument,
        willCacheResponse proposedResponse: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `a session has no cache of responses: use a DownloadLibrary` { .init() }
}

/// A method for responses that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignCachedResponseMethods: AnyObject, Sendable {
    associatedtype ForeignCachedResponseTask = AbsentArgument
    associatedtype ForeignCachedResponseResponse = AbsentArgument
    associatedtype ForeignCachedResponseMethod =
        `a session has no cache of responses: use a DownloadLibrary`

    func urlSession(
        _ session: DownloadSession,
        dataTask: ForeignCachedResponseTask,
        willCacheResponse proposedResponse: ForeignCachedResponseResponse
    ) async -> ForeignCachedResponseMethod
}

extension ForeignCachedResponseMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        dataTask: AbsentArgument,
        willCacheResponse proposedResponse: AbsentArgument
    ) async -> `a session has no cache of responses: use a DownloadLibrary` { .init() }
}

/// A method for the tasks themselves that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignCreatedTaskMethods: AnyObject, Sendable {
    associatedtype ForeignCreatedTaskTask = AbsentArgument
    associatedtype ForeignCreatedTaskMethod = `no method reports new tasks: use session.allTasks`

    func urlSession(
        _ session: DownloadSession,
        didCreateTask task: ForeignCreatedTaskTask
    ) async -> ForeignCreatedTaskMethod
}

extension ForeignCreatedTaskMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        didCreateTask task: AbsentArgument
    ) async -> `no method reports new tasks: use session.allTasks` { .init() }
}

/// A method for the tasks themselves that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignConvertedTaskMethods: AnyObject, Sendable {
    associatedtype ForeignConvertedTaskTask = AbsentArgument
    associatedtype ForeignConvertedTaskNewTask = AbsentArgument
    associatedtype ForeignConvertedTaskMethod =
        `a data task stays one: use session.downloadTask for a file`

    func urlSession(
        _ session: DownloadSession,
        dataTask: ForeignConvertedTaskTask,
        didBecome task: ForeignConvertedTaskNewTask
    ) async -> ForeignConvertedTaskMethod
}

extension ForeignConvertedTaskMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        dataTask: AbsentArgument,
        didBecome task: AbsentArgument
    ) async -> `a data task stays one: use session.downloadTask for a file` { .init() }
}

/// A method for the tasks themselves that a delegate must not have.
@_documentation(visibility: internal)
public protocol ForeignCollectedMetricsMethods: AnyObject, Sendable {
    associatedtype ForeignCollectedMetricsTask = AbsentArgument
    associatedtype ForeignCollectedMetricsValue: AnyObject = AbsentArgument
    associatedtype ForeignCollectedMetricsMethod =
        `session(_:task:didFinishCollecting:) takes a SessionTask and TaskMetrics`

    func urlSession(
        _ session: DownloadSession,
        task: ForeignCollectedMetricsTask,
        didFinishCollecting metrics: ForeignCollectedMetricsValue
    ) async -> ForeignCollectedMetricsMethod
}

extension ForeignCollectedMetricsMethods {
    /// Stands for a method that the delegate does not have.
    public func urlSession(
        _ session: DownloadSession,
        task: AbsentArgument,
        didFinishCollecting metrics: AbsentArgument
    ) async -> `session(_:task:didFinishCollecting:) takes a SessionTask and TaskMetrics` {
        .init()
    }
}
