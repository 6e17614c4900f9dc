public import struct FoundationEssentials.Date
public import PawlCore
internal import PawlEngine
internal import Synchronization

/// A task of a session.
///
/// It starts with `resume()`, can be suspended and cancelled, and reports its state.
///
/// It is a ``DownloadTask`` or a ``DataTask``.
///
/// `@unchecked Sendable`: the mutable state, here and in those two, is behind a `Mutex`.
public class SessionTask: @unchecked Sendable, Identifiable {
    struct State {
        var lifecycle = TaskLifecycle()
        var outcome: Result<TaskProduct, DownloadError>?
        var completionHandler: CompletionHandler?
        var description: String?
        var priority = DownloadPriority.normal
        var earliestBeginDate: Date?
        var expectedByteCount: Int64?
        /// The number of callers that await the end.
        var waiters = 0
        /// The alarm that rings when a suspension has lasted too long.
        var expiry: AlarmClock.Ticket?
        /// The number of suspensions so far: the alarm of an earlier one may ring late.
        var suspensions = 0
        var told = Told()
    }

    /// What the delegate has been told.
    struct Told {
        var bytes: Int64 = 0
        /// The number of times that the file had started over when `bytes` was reported.
        var restarts = 0
        var hasResponse = false
        var hasOffset = false
        /// Whether a report of bytes is pending: the next one waits, and reports more bytes.
        var isUnderWay = false
    }

    typealias CompletionHandler = @Sendable (Result<TaskProduct, DownloadError>) -> Void

    /// The task's place in its session.
    struct Place {
        var session: DownloadSession
        var number: Int
        /// Whether the task was created after the session was invalidated, so that it fails.
        var isLate: Bool
    }

    /// The task's number, unique within the session and counted from 1.
    public let taskIdentifier: Int
    /// The request with which the task was created.
    public let originalRequest: DownloadRequest
    /// The session of the task.
    public let session: DownloadSession
    let isLate: Bool
    let shared: Mutex<State>
    let end = Completion<Void>()

    init(_ request: DownloadRequest, at place: Place, completionHandler: CompletionHandler?) {
        taskIdentifier = place.number
        session = place.session
        isLate = place.isLate
        originalRequest = request
        var state = State()
        state.completionHandler = completionHandler
        shared = Mutex(state)
    }

    /// The task's number within its session.
    public var id: Int { taskIdentifier }

    // MARK: - State

    /// The state of the task.
    public var state: TaskState { shared.withLock { $0.lifecycle.state } }

    /// The progress, about ten times per second, until the task has ended.
    ///
    /// A slow reader skips values and gets the newest. Readers do not slow the transfer down, and
    /// there can be any number of them. The first value is available at once, also directly after a
    /// resume.
    public var progress: ProgressUpdates { ProgressUpdates(self) }

    /// The current progress.
    public var currentProgress: DownloadProgress {
        var progress = ownProgress
        let (state, expected) = shared.withLock { ($0.lifecycle.state, $0.expectedByteCount) }
        progress.totalBytes = progress.totalBytes ?? expected
        if state == .suspended || state == .paused { progress.standStill() }
        return progress
    }

    /// The server's response; `nil` until the server has responded.
    public var response: DownloadResponse? { nil }

    /// The measurements of the task so far.
    public var metrics: TaskMetrics { TaskMetrics() }

    /// The reason why the task ended without its result; `nil` if it did not.
    public var error: DownloadError? {
        if case .failure(let error) = shared.withLock({ $0.outcome }) { error } else { nil }
    }

    // MARK: - Name, priority and start

    /// A description for your own use, which the session ignores.
    public var taskDescription: String? {
        get { shared.withLock { $0.description } }
        set {
            shared.withLock { $0.description = newValue }
            wasChanged()
        }
    }

    /// The task's priority among those that wait for their turn.
    public var priority: DownloadPriority {
        get { shared.withLock { $0.priority } }
        set {
            shared.withLock { $0.priority = newValue }
            session.setPriority(newValue, of: self)
            wasChanged()
        }
    }

    /// The earliest time at which the task starts; `nil`, the default, means immediately.
    ///
    /// It takes effect with the next `resume()`.
    public var earliestBeginDate: Date? {
        get { shared.withLock { $0.earliestBeginDate } }
        set {
            shared.withLock { $0.earliestBeginDate = newValue }
            wasChanged()
        }
    }

    /// The expected number of bytes, shown as the total until the server reports it.
    public var countOfBytesClientExpectsToReceive: Int64? {
        get { shared.withLock { $0.expectedByteCount } }
        set { shared.withLock { $0.expectedByteCount = newValue.map { max(0, $0) } } }
    }

    // MARK: - What each kind overrides

    /// The progress without the user's expectations.
    var ownProgress: DownloadProgress { DownloadProgress() }

    /// How long the task may be held before it is paused; `nil` if it cannot be paused.
    var suspensionLimit: Duration? { nil }

    /// Called when its name, priority or start date was set.
    func wasChanged() {}

    /// Prepares for a new run, which nothing holds or stops yet.
    func renewControl() {}

    /// Stops receiving bytes.
    func hold() {}

    /// Continues after `hold()`.
    func release() {}

    /// Ends the run.
    func stop(keeping: Bool) {}

    /// Runs until the work or the run ends; `place` may be released before.
    func work(_ place: StartPlace) async throws(DownloadError) -> TaskProduct { .given }

    /// Whether the task must wait for its turn.
    var takesPlace: Bool { true }

    /// Deletes the files that the task left, and then calls `done`.
    func discard(_ done: @escaping @Sendable () -> Void) { done() }

    /// Called when the task was cancelled and no run of it is active.
    func wasCancelled() {}

    /// Returns the error of a cancelled task.
    func cancelled(isKept: Bool) -> DownloadError {
        DownloadError(.cancelled, "the task was cancelled")
    }

    /// Reports further events to the delegate, besides the response.
    ///
    /// Called under the task's lock.
    func tell(_ told: inout Told, isLast: Bool) {}

    /// Called when the outcome is final and about to be reported.
    func settled(_ outcome: Result<TaskProduct, DownloadError>) {}
}

extension SessionTask: ProgressSource {
    var engine: Engine { session.engine }
}

/// The result of a task.
enum TaskProduct: Sendable {
    case file(DownloadedFile)
    case data(FetchedData)
    /// The bytes were delivered as they arrived.
    case given
}
