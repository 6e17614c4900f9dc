public import struct FoundationEssentials.Date
public import PawlCore
internal import PawlEngine
internal import Synchronization

/// One task of a session: begins with `resume()`, can be held and cancelled, and looked at.
///
/// It is a ``DownloadTask`` or a ``DataTask``.
///
/// `@unchecked Sendable`: what changes, here and in those two, is behind a `Mutex`.
public class SessionTask: @unchecked Sendable, Identifiable {
    struct State {
        var lifecycle = TaskLifecycle()
        var outcome: Result<TaskProduct, DownloadError>?
        var completionHandler: Completion?
        var description: String?
        var priority = DownloadPriority.normal
        var earliestBeginDate: Date?
        var expectedByteCount: Int64?
        /// How many await the end.
        var waiters = 0
        /// Rings when a suspension has become too long.
        var expiry: AlarmClock.Ticket?
        /// How many there were: the alarm of an earlier one may ring late.
        var suspensions = 0
        var told = Told()
    }

    /// What the delegate knows.
    struct Told {
        var bytes: Int64 = 0
        /// How often the file had started over when `bytes` was told.
        var restarts = 0
        var hasResponse = false
        var hasOffset = false
        /// A telling of bytes is on its way: the next one waits, and counts the more.
        var isUnderWay = false
    }

    typealias Completion = @Sendable (Result<TaskProduct, DownloadError>) -> Void

    /// Which one it is in its session.
    struct Place {
        var session: DownloadSession
        var number: Int
        /// Made after the session was invalidated: it fails.
        var isLate: Bool
    }

    /// Unique within the session, counted from 1.
    public let taskIdentifier: Int
    /// What was asked for.
    public let originalRequest: DownloadRequest
    /// Where the task belongs.
    public let session: DownloadSession
    let isLate: Bool
    let shared: Mutex<State>
    let end = EndSignal()

    init(_ request: DownloadRequest, at place: Place, completionHandler: Completion?) {
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

    // MARK: - Looking

    /// Where the task stands.
    public var state: TaskState { shared.withLock { $0.lifecycle.state } }

    /// The progress about ten times a second, until the task has ended.
    ///
    /// A slow reader misses what came in between and gets the newest; it costs the transfer nothing.
    /// Any number of readers may look. The first progress comes at once, also right after a resume.
    public var progress: ProgressUpdates { ProgressUpdates(self) }

    /// The progress at this moment.
    public var currentProgress: DownloadProgress {
        var progress = ownProgress
        let (state, expected) = shared.withLock { ($0.lifecycle.state, $0.expectedByteCount) }
        progress.totalBytes = progress.totalBytes ?? expected
        if state == .suspended || state == .paused { progress.standStill() }
        return progress
    }

    /// What the server said; nil before it has answered.
    public var response: DownloadResponse? { nil }

    /// What the task has taken so far.
    public var metrics: TaskMetrics { TaskMetrics() }

    /// Why the task ended without what it was to bring; nil where it did not.
    public var error: DownloadError? {
        if case .failure(let error) = shared.withLock({ $0.outcome }) { error } else { nil }
    }

    // MARK: - What it is called, when it begins

    /// A name of the user's own; it means nothing to the session.
    public var taskDescription: String? {
        get { shared.withLock { $0.description } }
        set {
            shared.withLock { $0.description = newValue }
            wasChanged()
        }
    }

    /// How urgent it is among those that wait for their turn.
    public var priority: DownloadPriority {
        get { shared.withLock { $0.priority } }
        set {
            shared.withLock { $0.priority = newValue }
            session.setPriority(newValue, of: self)
            wasChanged()
        }
    }

    /// Not before that; nil, the default, is at once.
    ///
    /// It counts from the next `resume()`.
    public var earliestBeginDate: Date? {
        get { shared.withLock { $0.earliestBeginDate } }
        set {
            shared.withLock { $0.earliestBeginDate = newValue }
            wasChanged()
        }
    }

    /// How many bytes there are thought to be: shown as the total until the server says it.
    public var countOfBytesClientExpectsToReceive: Int64? {
        get { shared.withLock { $0.expectedByteCount } }
        set { shared.withLock { $0.expectedByteCount = newValue.map { max(0, $0) } } }
    }

    // MARK: - What each kind does in its own way

    /// Without what the user thinks.
    var ownProgress: DownloadProgress { DownloadProgress() }

    /// How long it may be held before it is paused; nil where it cannot be.
    var suspensionLimit: Duration? { nil }

    /// What it is called, how urgent it is or when it begins was set.
    func wasChanged() {}

    /// A run will begin, which nothing holds or stops yet.
    func renewControl() {}

    /// Lets no bytes come.
    func hold() {}

    /// After `hold()`.
    func release() {}

    /// Ends the run.
    func stop(keeping: Bool) {}

    /// Runs to the end of the work or of the run; `place` may be given up before.
    func work(_ place: StartPlace) async throws(DownloadError) -> TaskProduct { .given }

    /// Whether it is to wait for its turn.
    var takesPlace: Bool { true }

    /// Throws away what it left, and then calls `done`.
    func discard(_ done: @escaping @Sendable () -> Void) { done() }

    /// It was, and no run of it is going.
    func wasCancelled() {}

    /// The error of one that was cancelled.
    func cancelled(isKept: Bool) -> DownloadError {
        DownloadError(.cancelled, "the task was cancelled")
    }

    /// What the delegate is to hear besides the response; called under the task's lock.
    func tell(_ told: inout Told, isLast: Bool) {}

    /// All is settled, and will be told of.
    func settled(_ outcome: Result<TaskProduct, DownloadError>) {}
}

extension SessionTask: ProgressSource {
    var engine: Engine { session.engine }
}

/// What a task brought.
enum TaskProduct: Sendable {
    case file(DownloadedFile)
    case data(FetchedData)
    /// Its bytes were given out as they came.
    case given
}
