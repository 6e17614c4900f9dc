public import struct FoundationEssentials.Date
public import PawlCore
internal import PawlEngine
internal import Synchronization

/// Called once, when a task has ended.
public typealias DownloadCompletionHandler =
    @Sendable (Result<DownloadedFile, DownloadError>) -> Void

/// One download of a session: begins with `resume()`, can be held, paused, cancelled, and looked at.
///
/// ```swift
/// let task = session.downloadTask(with: url, to: .file(folder + "/copy.iso"))
/// task.resume()
/// for await progress in task.progress {
///     print(progress.fraction ?? 0, progress.bytesPerSecond)
/// }
/// let file = try await task.file
/// ```
public final class DownloadTask: Sendable, Identifiable {
    struct State {
        var lifecycle = TaskLifecycle()
        /// Of the run that is in line or going.
        var control = DownloadControl()
        var outcome: Result<DownloadedFile, DownloadError>?
        var completionHandler: DownloadCompletionHandler?
        var hasCompletionHandler = false
        var description: String?
        var priority = DownloadPriority.normal
        var earliestBeginDate: Date?
        var expectedByteCount: Int64?
        /// How many await the file.
        var waiters = 0
        /// Rings when a suspension has become too long.
        var expiry: AlarmClock.Ticket?
        var told = Told()
    }

    /// What the delegate knows.
    struct Told {
        var bytes: Int64 = 0
        var hasResponse = false
        var hasOffset = false
        /// A telling of bytes is on its way: the next one waits, and counts the more.
        var isUnderWay = false
    }

    /// Where to, and with what to begin.
    struct Target: Sendable {
        var destination: TaskDestination
        var resume: ResumeOrder?
        /// Made after the session was invalidated.
        var isLate = false
        /// The library's key, noted with what comes.
        var storageKey: String?
    }

    /// Unique within the session, counted from 1.
    public let taskIdentifier: Int
    /// What was asked for.
    public let originalRequest: DownloadRequest
    /// Where the task belongs.
    public let session: DownloadSession
    let destination: TaskDestination
    /// What it begins with; nil looks for what is there.
    let resumeOrder: ResumeOrder?
    let storageKey: String?
    /// Made after the session was invalidated: it fails.
    let isLate: Bool
    let monitor: DownloadMonitor
    let shared: Mutex<State>
    private let end = EndSignal()

    init(
        _ identifier: Int,
        _ request: DownloadRequest,
        _ target: Target,
        in session: DownloadSession,
        completionHandler: DownloadCompletionHandler?
    ) {
        taskIdentifier = identifier
        originalRequest = request
        self.session = session
        destination = target.destination
        resumeOrder = target.resume
        storageKey = target.storageKey ?? target.resume?.data.storageKey
        isLate = target.isLate
        monitor = DownloadMonitor(time: session.engine.time)
        var state = State()
        state.completionHandler = completionHandler
        state.hasCompletionHandler = completionHandler != nil
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
    public var progress: TaskProgress { TaskProgress(task: self) }

    /// The progress at this moment.
    public var currentProgress: DownloadProgress {
        var progress = monitor.progress
        progress.totalBytes =
            progress.totalBytes ?? shared.withLock { $0.expectedByteCount }
        return progress
    }

    /// What the server said; nil before it has answered.
    public var response: DownloadResponse? { monitor.response }

    /// What the task has taken so far.
    public var metrics: TaskMetrics { monitor.metrics }

    /// Why the task ended without its file; nil where it did not.
    public var error: DownloadError? {
        if case .failure(let error) = shared.withLock({ $0.outcome }) { error } else { nil }
    }

    /// The finished file, as soon as it is there.
    ///
    /// It does not begin the task: that is what `resume()` is for. Cancelling the task that awaits
    /// it, where no other one does, pauses the download and keeps what came; `resume()` goes on.
    ///
    /// - Throws: `DownloadError`.
    public var file: DownloadedFile {
        get async throws(DownloadError) {
            shared.withLock { $0.waiters += 1 }
            await end.wait()
            let (outcome, isLast) = shared.withLock { state in
                state.waiters -= 1
                return (state.outcome, state.waiters == 0)
            }
            if let outcome { return try outcome.get() }
            if isLast { pause() }
            throw DownloadError(
                .interrupted,
                "the waiting was cancelled",
                advice: isLast ? "resume the task to go on" : ""
            )
        }
    }

    // MARK: - What it is called, when it begins

    /// A name of the user's own; it means nothing to the session.
    public var taskDescription: String? {
        get { shared.withLock { $0.description } }
        set { shared.withLock { $0.description = newValue } }
    }

    /// How urgent it is among those that wait for their turn.
    public var priority: DownloadPriority {
        get { shared.withLock { $0.priority } }
        set {
            shared.withLock { $0.priority = newValue }
            session.setPriority(newValue, of: self)
        }
    }

    /// Not before that; nil, the default, is at once.
    ///
    /// It counts from the next `resume()`.
    public var earliestBeginDate: Date? {
        get { shared.withLock { $0.earliestBeginDate } }
        set { shared.withLock { $0.earliestBeginDate = newValue } }
    }

    /// How large the file is thought to be, in bytes: shown as the total until the server says it.
    public var countOfBytesClientExpectsToReceive: Int64? {
        get { shared.withLock { $0.expectedByteCount } }
        set { shared.withLock { $0.expectedByteCount = newValue.map { max(0, $0) } } }
    }

    // MARK: - For the session and its sequences

    var now: Moment { session.engine.time.now() }

    func waitForEnd() async { await end.wait() }

    func waitForEnd(until moment: Moment) async {
        await end.wait(until: moment, session.engine.alarms)
    }

    /// Also where the waiting task was cancelled: the end is near.
    func waitForEndInAnyCase() async { await end.waitInAnyCase() }

    func toldEnd() { end.set() }
}
