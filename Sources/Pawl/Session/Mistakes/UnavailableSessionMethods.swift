// Methods of `URLSession`'s delegate without a counterpart, named as those of a session's delegate.

/// A method for challenges that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableSessionChallengeCallbackMethods: AnyObject, Sendable {
    associatedtype UnavailableSessionChallengeCallbackValue: AnyObject = AbsentArgument
    associatedtype UnavailableSessionChallengeCallbackHandler = AbsentArgument
    associatedtype UnavailableSessionChallengeCallbackMethod =
        `no method answers challenges: use settings.credentials or settings.connection`

    func session(
        _ session: DownloadSession,
        didReceive challenge: UnavailableSessionChallengeCallbackValue,
        completionHandler: UnavailableSessionChallengeCallbackHandler
    ) async -> UnavailableSessionChallengeCallbackMethod
}

extension UnavailableSessionChallengeCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        didReceive challenge: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method answers challenges: use settings.credentials or settings.connection` {
        .init()
    }
}

/// A method for challenges that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableSessionChallengeMethods: AnyObject, Sendable {
    associatedtype UnavailableSessionChallengeValue: AnyObject = AbsentArgument
    associatedtype UnavailableSessionChallengeMethod =
        `no method answers challenges: use settings.credentials or settings.connection`

    func session(
        _ session: DownloadSession,
        didReceive challenge: UnavailableSessionChallengeValue
    ) async -> UnavailableSessionChallengeMethod
}

extension UnavailableSessionChallengeMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        didReceive challenge: AbsentArgument
    ) async -> `no method answers challenges: use settings.credentials or settings.connection` {
        .init()
    }
}

/// A method for challenges that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableTaskChallengeCallbackMethods: AnyObject, Sendable {
    associatedtype UnavailableTaskChallengeCallbackTask = AbsentArgument
    associatedtype UnavailableTaskChallengeCallbackValue: AnyObject = AbsentArgument
    associatedtype UnavailableTaskChallengeCallbackHandler = AbsentArgument
    associatedtype UnavailableTaskChallengeCallbackMethod =
        `no method answers challenges: use settings.credentials or settings.connection`

    func session(
        _ session: DownloadSession,
        task: UnavailableTaskChallengeCallbackTask,
        didReceive challenge: UnavailableTaskChallengeCallbackValue,
        completionHandler: UnavailableTaskChallengeCallbackHandler
    ) async -> UnavailableTaskChallengeCallbackMethod
}

extension UnavailableTaskChallengeCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
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
public protocol UnavailableTaskChallengeMethods: AnyObject, Sendable {
    associatedtype UnavailableTaskChallengeTask = AbsentArgument
    associatedtype UnavailableTaskChallengeValue: AnyObject = AbsentArgument
    associatedtype UnavailableTaskChallengeMethod =
        `no method answers challenges: use settings.credentials or settings.connection`

    func session(
        _ session: DownloadSession,
        task: UnavailableTaskChallengeTask,
        didReceive challenge: UnavailableTaskChallengeValue
    ) async -> UnavailableTaskChallengeMethod
}

extension UnavailableTaskChallengeMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        didReceive challenge: AbsentArgument
    ) async -> `no method answers challenges: use settings.credentials or settings.connection` {
        .init()
    }
}

/// A method for redirects and delayed requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableRedirectionCallbackMethods: AnyObject, Sendable {
    associatedtype UnavailableRedirectionCallbackTask = AbsentArgument
    associatedtype UnavailableRedirectionCallbackResponse = AbsentArgument
    associatedtype UnavailableRedirectionCallbackRequest = AbsentArgument
    associatedtype UnavailableRedirectionCallbackHandler = AbsentArgument
    associatedtype UnavailableRedirectionCallbackMethod =
        `no method decides on redirects: use settings.maximumRedirects`

    func session(
        _ session: DownloadSession,
        task: UnavailableRedirectionCallbackTask,
        willPerformHTTPRedirection response: UnavailableRedirectionCallbackResponse,
        newRequest request: UnavailableRedirectionCallbackRequest,
        completionHandler: UnavailableRedirectionCallbackHandler
    ) async -> UnavailableRedirectionCallbackMethod
}

extension UnavailableRedirectionCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        willPerformHTTPRedirection response: AbsentArgument,
        newRequest request: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method decides on redirects: use settings.maximumRedirects` { .init() }
}

/// A method for redirects and delayed requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableRedirectionMethods: AnyObject, Sendable {
    associatedtype UnavailableRedirectionTask = AbsentArgument
    associatedtype UnavailableRedirectionResponse = AbsentArgument
    associatedtype UnavailableRedirectionRequest = AbsentArgument
    associatedtype UnavailableRedirectionMethod =
        `no method decides on redirects: use settings.maximumRedirects`

    func session(
        _ session: DownloadSession,
        task: UnavailableRedirectionTask,
        willPerformHTTPRedirection response: UnavailableRedirectionResponse,
        newRequest request: UnavailableRedirectionRequest
    ) async -> UnavailableRedirectionMethod
}

extension UnavailableRedirectionMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        willPerformHTTPRedirection response: AbsentArgument,
        newRequest request: AbsentArgument
    ) async -> `no method decides on redirects: use settings.maximumRedirects` { .init() }
}

/// A method for redirects and delayed requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableDelayedRequestCallbackMethods: AnyObject, Sendable {
    associatedtype UnavailableDelayedRequestCallbackTask = AbsentArgument
    associatedtype UnavailableDelayedRequestCallbackRequest = AbsentArgument
    associatedtype UnavailableDelayedRequestCallbackHandler = AbsentArgument
    associatedtype UnavailableDelayedRequestCallbackMethod =
        `no method delays a request: use task.earliestBeginDate`

    func session(
        _ session: DownloadSession,
        task: UnavailableDelayedRequestCallbackTask,
        willBeginDelayedRequest request: UnavailableDelayedRequestCallbackRequest,
        completionHandler: UnavailableDelayedRequestCallbackHandler
    ) async -> UnavailableDelayedRequestCallbackMethod
}

extension UnavailableDelayedRequestCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        willBeginDelayedRequest request: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method delays a request: use task.earliestBeginDate` { .init() }
}

/// A method for redirects and delayed requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableDelayedRequestMethods: AnyObject, Sendable {
    associatedtype UnavailableDelayedRequestTask = AbsentArgument
    associatedtype UnavailableDelayedRequestRequest = AbsentArgument
    associatedtype UnavailableDelayedRequestMethod =
        `no method delays a request: use task.earliestBeginDate`

    func session(
        _ session: DownloadSession,
        task: UnavailableDelayedRequestTask,
        willBeginDelayedRequest request: UnavailableDelayedRequestRequest
    ) async -> UnavailableDelayedRequestMethod
}

extension UnavailableDelayedRequestMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        willBeginDelayedRequest request: AbsentArgument
    ) async -> `no method delays a request: use task.earliestBeginDate` { .init() }
}

/// A method for bodies of requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableBodyStreamCallbackMethods: AnyObject, Sendable {
    associatedtype UnavailableBodyStreamCallbackTask = AbsentArgument
    associatedtype UnavailableBodyStreamCallbackHandler = AbsentArgument
    associatedtype UnavailableBodyStreamCallbackMethod =
        `no method provides a body: use request.body`

    func session(
        _ session: DownloadSession,
        task: UnavailableBodyStreamCallbackTask,
        needNewBodyStream completionHandler: UnavailableBodyStreamCallbackHandler
    ) async -> UnavailableBodyStreamCallbackMethod
}

extension UnavailableBodyStreamCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        needNewBodyStream completionHandler: AbsentArgument
    ) async -> `no method provides a body: use request.body` { .init() }
}

/// A method for bodies of requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableBodyStreamMethods: AnyObject, Sendable {
    associatedtype UnavailableBodyStreamTask = AbsentArgument
    associatedtype UnavailableBodyStreamMethod = `no method provides a body: use request.body`

    func session(
        _ session: DownloadSession,
        needNewBodyStreamForTask task: UnavailableBodyStreamTask
    ) async -> UnavailableBodyStreamMethod
}

extension UnavailableBodyStreamMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        needNewBodyStreamForTask task: AbsentArgument
    ) async -> `no method provides a body: use request.body` { .init() }
}

/// A method for bodies of requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableBodyStreamFromCallbackMethods: AnyObject, Sendable {
    associatedtype UnavailableBodyStreamFromCallbackTask = AbsentArgument
    associatedtype UnavailableBodyStreamFromCallbackOffset = AbsentArgument
    associatedtype UnavailableBodyStreamFromCallbackHandler = AbsentArgument
    associatedtype UnavailableBodyStreamFromCallbackMethod =
        `no method provides a body: use request.body`

    func session(
        _ session: DownloadSession,
        task: UnavailableBodyStreamFromCallbackTask,
        needNewBodyStreamFrom offset: UnavailableBodyStreamFromCallbackOffset,
        completionHandler: UnavailableBodyStreamFromCallbackHandler
    ) async -> UnavailableBodyStreamFromCallbackMethod
}

extension UnavailableBodyStreamFromCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        needNewBodyStreamFrom offset: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `no method provides a body: use request.body` { .init() }
}

/// A method for bodies of requests that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableSentBytesMethods: AnyObject, Sendable {
    associatedtype UnavailableSentBytesTask = AbsentArgument
    associatedtype UnavailableSentBytesCount = AbsentArgument
    associatedtype UnavailableSentBytesTotal = AbsentArgument
    associatedtype UnavailableSentBytesExpected = AbsentArgument
    associatedtype UnavailableSentBytesMethod =
        `no method reports sent bytes: request.body is sent as a whole`

    func session(
        _ session: DownloadSession,
        task: UnavailableSentBytesTask,
        didSendBodyData bytesSent: UnavailableSentBytesCount,
        totalBytesSent: UnavailableSentBytesTotal,
        totalBytesExpectedToSend: UnavailableSentBytesExpected
    ) async -> UnavailableSentBytesMethod
}

extension UnavailableSentBytesMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        didSendBodyData bytesSent: AbsentArgument,
        totalBytesSent: AbsentArgument,
        totalBytesExpectedToSend: AbsentArgument
    ) async -> `no method reports sent bytes: request.body is sent as a whole` { .init() }
}

/// A method for responses that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableInformationalResponseMethods: AnyObject, Sendable {
    associatedtype UnavailableInformationalResponseTask = AbsentArgument
    associatedtype UnavailableInformationalResponseResponse = AbsentArgument
    associatedtype UnavailableInformationalResponseMethod =
        `only the final response is reported, by session(_:task:didReceive:)`

    func session(
        _ session: DownloadSession,
        task: UnavailableInformationalResponseTask,
        didReceiveInformationalResponse response: UnavailableInformationalResponseResponse
    ) async -> UnavailableInformationalResponseMethod
}

extension UnavailableInformationalResponseMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        didReceiveInformationalResponse response: AbsentArgument
    ) async -> `only the final response is reported, by session(_:task:didReceive:)` { .init() }
}

/// A method for responses that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableCachedResponseCallbackMethods: AnyObject, Sendable {
    associatedtype UnavailableCachedResponseCallbackTask = AbsentArgument
    associatedtype UnavailableCachedResponseCallbackResponse = AbsentArgument
    associatedtype UnavailableCachedResponseCallbackHandler = AbsentArgument
    associatedtype UnavailableCachedResponseCallbackMethod =
        `a session has no cache of responses: use a DownloadLibrary`

    func session(
        _ session: DownloadSession,
        dataTask: UnavailableCachedResponseCallbackTask,
        willCacheResponse proposedResponse: UnavailableCachedResponseCallbackResponse,
        completionHandler: UnavailableCachedResponseCallbackHandler
    ) async -> UnavailableCachedResponseCallbackMethod
}

extension UnavailableCachedResponseCallbackMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: AbsentArgument,
        willCacheResponse proposedResponse: AbsentArgument,
        completionHandler: AbsentArgument
    ) async -> `a session has no cache of responses: use a DownloadLibrary` { .init() }
}

/// A method for responses that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableCachedResponseMethods: AnyObject, Sendable {
    associatedtype UnavailableCachedResponseTask = AbsentArgument
    associatedtype UnavailableCachedResponseResponse = AbsentArgument
    associatedtype UnavailableCachedResponseMethod =
        `a session has no cache of responses: use a DownloadLibrary`

    func session(
        _ session: DownloadSession,
        dataTask: UnavailableCachedResponseTask,
        willCacheResponse proposedResponse: UnavailableCachedResponseResponse
    ) async -> UnavailableCachedResponseMethod
}

extension UnavailableCachedResponseMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: AbsentArgument,
        willCacheResponse proposedResponse: AbsentArgument
    ) async -> `a session has no cache of responses: use a DownloadLibrary` { .init() }
}

/// A method for the tasks themselves that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableCreatedTaskMethods: AnyObject, Sendable {
    associatedtype UnavailableCreatedTaskTask = AbsentArgument
    associatedtype UnavailableCreatedTaskMethod =
        `no method reports new tasks: use session.allTasks`

    func session(
        _ session: DownloadSession,
        didCreateTask task: UnavailableCreatedTaskTask
    ) async -> UnavailableCreatedTaskMethod
}

extension UnavailableCreatedTaskMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        didCreateTask task: AbsentArgument
    ) async -> `no method reports new tasks: use session.allTasks` { .init() }
}

/// A method for the tasks themselves that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableConvertedTaskMethods: AnyObject, Sendable {
    associatedtype UnavailableConvertedTaskTask = AbsentArgument
    associatedtype UnavailableConvertedTaskNewTask = AbsentArgument
    associatedtype UnavailableConvertedTaskMethod =
        `a data task stays one: use session.downloadTask for a file`

    func session(
        _ session: DownloadSession,
        dataTask: UnavailableConvertedTaskTask,
        didBecome task: UnavailableConvertedTaskNewTask
    ) async -> UnavailableConvertedTaskMethod
}

extension UnavailableConvertedTaskMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        dataTask: AbsentArgument,
        didBecome task: AbsentArgument
    ) async -> `a data task stays one: use session.downloadTask for a file` { .init() }
}

/// A method for the tasks themselves that a delegate must not have.
@_documentation(visibility: internal)
public protocol UnavailableCollectedMetricsMethods: AnyObject, Sendable {
    associatedtype UnavailableCollectedMetricsTask = AbsentArgument
    associatedtype UnavailableCollectedMetricsValue: AnyObject = AbsentArgument
    associatedtype UnavailableCollectedMetricsMethod =
        `session(_:task:didFinishCollecting:) takes a SessionTask and TaskMetrics`

    func session(
        _ session: DownloadSession,
        task: UnavailableCollectedMetricsTask,
        didFinishCollecting metrics: UnavailableCollectedMetricsValue
    ) async -> UnavailableCollectedMetricsMethod
}

extension UnavailableCollectedMetricsMethods {
    /// Stands for a method that the delegate does not have.
    public func session(
        _ session: DownloadSession,
        task: AbsentArgument,
        didFinishCollecting metrics: AbsentArgument
    ) async -> `session(_:task:didFinishCollecting:) takes a SessionTask and TaskMetrics` {
        .init()
    }
}
