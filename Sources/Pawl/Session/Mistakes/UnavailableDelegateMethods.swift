/// The methods of `URLSession`'s delegate that have no counterpart, named as those of a session's
/// delegate (`session`) and as they are (`urlSession`).
///
/// The types of their arguments are associated types, because they may be those of Foundation. The
/// types of challenges and metrics must be classes, as those of Foundation are: otherwise, methods
/// for responses and for ``TaskMetrics`` would be among them. The session is a ``DownloadSession``:
/// one class may be the delegate of a `URLSession`, too.
@_documentation(visibility: internal)
public protocol UnavailableDelegateMethods:
    UnavailableSessionChallengeCallbackMethods,
    UnavailableSessionChallengeMethods,
    UnavailableTaskChallengeCallbackMethods,
    UnavailableTaskChallengeMethods,
    UnavailableRedirectionCallbackMethods,
    UnavailableRedirectionMethods,
    UnavailableDelayedRequestCallbackMethods,
    UnavailableDelayedRequestMethods,
    UnavailableBodyStreamCallbackMethods,
    UnavailableBodyStreamMethods,
    UnavailableBodyStreamFromCallbackMethods,
    UnavailableSentBytesMethods,
    UnavailableInformationalResponseMethods,
    UnavailableCachedResponseCallbackMethods,
    UnavailableCachedResponseMethods,
    UnavailableCreatedTaskMethods,
    UnavailableConvertedTaskMethods,
    UnavailableCollectedMetricsMethods,
    ForeignSessionChallengeCallbackMethods,
    ForeignSessionChallengeMethods,
    ForeignTaskChallengeCallbackMethods,
    ForeignTaskChallengeMethods,
    ForeignRedirectionCallbackMethods,
    ForeignRedirectionMethods,
    ForeignDelayedRequestCallbackMethods,
    ForeignDelayedRequestMethods,
    ForeignBodyStreamCallbackMethods,
    ForeignBodyStreamMethods,
    ForeignBodyStreamFromCallbackMethods,
    ForeignSentBytesMethods,
    ForeignInformationalResponseMethods,
    ForeignCachedResponseCallbackMethods,
    ForeignCachedResponseMethods,
    ForeignCreatedTaskMethods,
    ForeignConvertedTaskMethods,
    ForeignCollectedMetricsMethods
{
    /// The types of these methods.
    typealias UnavailableMistakes = (
        UnavailableSessionChallengeCallbackMethod,
        UnavailableSessionChallengeMethod,
        UnavailableTaskChallengeCallbackMethod,
        UnavailableTaskChallengeMethod,
        UnavailableRedirectionCallbackMethod,
        UnavailableRedirectionMethod,
        UnavailableDelayedRequestCallbackMethod,
        UnavailableDelayedRequestMethod,
        UnavailableBodyStreamCallbackMethod,
        UnavailableBodyStreamMethod,
        UnavailableBodyStreamFromCallbackMethod,
        UnavailableSentBytesMethod,
        UnavailableInformationalResponseMethod,
        UnavailableCachedResponseCallbackMethod,
        UnavailableCachedResponseMethod,
        UnavailableCreatedTaskMethod,
        UnavailableConvertedTaskMethod,
        UnavailableCollectedMetricsMethod,
        ForeignSessionChallengeCallbackMethod,
        ForeignSessionChallengeMethod,
        ForeignTaskChallengeCallbackMethod,
        ForeignTaskChallengeMethod,
        ForeignRedirectionCallbackMethod,
        ForeignRedirectionMethod,
        ForeignDelayedRequestCallbackMethod,
        ForeignDelayedRequestMethod,
        ForeignBodyStreamCallbackMethod,
        ForeignBodyStreamMethod,
        ForeignBodyStreamFromCallbackMethod,
        ForeignSentBytesMethod,
        ForeignInformationalResponseMethod,
        ForeignCachedResponseCallbackMethod,
        ForeignCachedResponseMethod,
        ForeignCreatedTaskMethod,
        ForeignConvertedTaskMethod,
        ForeignCollectedMetricsMethod
    )
}

/// The value of `UnavailableMistakes` for a delegate without any of these methods.
@_documentation(visibility: internal)
public typealias NoUnavailableMistakes = (
    `no method answers challenges: use settings.credentials or settings.connection`,
    `no method answers challenges: use settings.credentials or settings.connection`,
    `no method answers challenges: use settings.credentials or settings.connection`,
    `no method answers challenges: use settings.credentials or settings.connection`,
    `no method decides on redirects: use settings.maximumRedirects`,
    `no method decides on redirects: use settings.maximumRedirects`,
    `no method delays a request: use task.earliestBeginDate`,
    `no method delays a request: use task.earliestBeginDate`,
    `no method provides a body: use request.body`,
    `no method provides a body: use request.body`,
    `no method provides a body: use request.body`,
    `no method reports sent bytes: request.body is sent as a whole`,
    `only the final response is reported, by session(_:task:didReceive:)`,
    `a session has no cache of responses: use a DownloadLibrary`,
    `a session has no cache of responses: use a DownloadLibrary`,
    `no method reports new tasks: use session.allTasks`,
    `a data task stays one: use session.downloadTask for a file`,
    `session(_:task:didFinishCollecting:) takes a SessionTask and TaskMetrics`,
    `no method answers challenges: use settings.credentials or settings.connection`,
    `no method answers challenges: use settings.credentials or settings.connection`,
    `no method answers challenges: use settings.credentials or settings.connection`,
    `no method answers challenges: use settings.credentials or settings.connection`,
    `no method decides on redirects: use settings.maximumRedirects`,
    `no method decides on redirects: use settings.maximumRedirects`,
    `no method delays a request: use task.earliestBeginDate`,
    `no method delays a request: use task.earliestBeginDate`,
    `no method provides a body: use request.body`,
    `no method provides a body: use request.body`,
    `no method provides a body: use request.body`,
    `no method reports sent bytes: request.body is sent as a whole`,
    `only the final response is reported, by session(_:task:didReceive:)`,
    `a session has no cache of responses: use a DownloadLibrary`,
    `a session has no cache of responses: use a DownloadLibrary`,
    `no method reports new tasks: use session.allTasks`,
    `a data task stays one: use session.downloadTask for a file`,
    `session(_:task:didFinishCollecting:) takes a SessionTask and TaskMetrics`
)

/// Stands for the type of an argument of a method that the delegate does not have.
@_documentation(visibility: internal)
public final class AbsentArgument: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `no method answers challenges: use settings.credentials or settings.connection`:
    Sendable
{ init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `no method decides on redirects: use settings.maximumRedirects`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `no method delays a request: use task.earliestBeginDate`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `no method provides a body: use request.body`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `no method reports sent bytes: request.body is sent as a whole`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `only the final response is reported, by session(_:task:didReceive:)`: Sendable {
    init() {}
}

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `a session has no cache of responses: use a DownloadLibrary`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `no method reports new tasks: use session.allTasks`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `a data task stays one: use session.downloadTask for a file`: Sendable { init() {} }

/// Stands for the result of a method that the delegate does not have.
@_documentation(visibility: internal)
public struct `session(_:task:didFinishCollecting:) takes a SessionTask and TaskMetrics`: Sendable {
    init() {}
}
