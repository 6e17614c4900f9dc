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
    /// The options that can be changed at any time.
    struct Options {
        var description: String?
        var priority = DownloadPriority.normal
        var earliestBeginDate: Date?
    }

    private struct State {
        var lifecycle = TaskLifecycle()
        var outcome: Result<TaskProduct, DownloadError>?
        var completionHandler: CompletionHandler?
        var options = Options()
        var expectedByteCount: Int64?
        /// The number of callers that await the end.
        var waiters = 0
        /// The alarm that rings when a suspension has lasted too long.
        var expiry: AlarmClock.Ticket?
        /// The number of suspensions so far: the alarm of an earlier one may ring late.
        var suspensions = 0
        var reports = DelegateReports()
    }

    typealias CompletionHandler = @Sendable (Result<TaskProduct, DownloadError>) -> Void

    /// The task's membership in its session.
    struct Membership {
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
    private let shared: Mutex<State>
    package let end = Completion<Void>()

    init(
        _ request: DownloadRequest,
        at membership: Membership,
        completionHandler: CompletionHandler?
    ) {
        taskIdentifier = membership.number
        session = membership.session
        isLate = membership.isLate
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
        if case .failure(let error) = outcome { error } else { nil }
    }

    /// The outcome; `nil` if the task has not ended.
    var outcome: Result<TaskProduct, DownloadError>? { shared.withLock { $0.outcome } }

    // MARK: - Name, priority and start

    /// A description for your own use, which the session ignores.
    public var taskDescription: String? {
        get { options.description }
        set {
            changeOptions { $0.description = newValue }
            wasChanged()
        }
    }

    /// The task's priority among those that wait for their turn.
    public var priority: DownloadPriority {
        get { options.priority }
        set {
            changeOptions { $0.priority = newValue }
            session.runner.setPriority(newValue, of: self)
            wasChanged()
        }
    }

    /// The earliest time at which the task starts; `nil`, the default, means immediately.
    ///
    /// It takes effect with the next `resume()`.
    public var earliestBeginDate: Date? {
        get { options.earliestBeginDate }
        set {
            changeOptions { $0.earliestBeginDate = newValue }
            wasChanged()
        }
    }

    /// The expected number of bytes, shown as the total until the server reports it.
    public var countOfBytesClientExpectsToReceive: Int64? {
        get { shared.withLock { $0.expectedByteCount } }
        set { shared.withLock { $0.expectedByteCount = newValue.map { max(0, $0) } } }
    }

    private var options: Options { shared.withLock { $0.options } }

    /// Changes the options without reporting the change.
    func changeOptions(_ body: (inout Options) -> Void) { shared.withLock { body(&$0.options) } }

    // MARK: - Starting, holding and ending

    /// Starts the task, or continues it after a suspension or a pause.
    ///
    /// It has no effect if the task runs or has ended.
    public func resume() { handle(.resumeAsked) }

    /// Stops receiving bytes and keeps the connections.
    ///
    /// After the session's `suspensionLimit`, a download is paused.
    ///
    /// Servers close connections that are idle for long; the received bytes of a download are kept
    /// in any case.
    public func suspend() { handle(.suspendAsked) }

    /// Ends the task and deletes the bytes received so far.
    ///
    /// A file that was complete before is not changed.
    public func cancel() { end(keeping: false) }

    /// Ends the task.
    ///
    /// The received bytes are kept if they can be resumed.
    package func end(keeping: Bool) { handle(.cancelAsked(keeping: keeping)) }

    // MARK: - The lifecycle

    /// Handles an event.
    ///
    /// The actions of the lifecycle are carried out under the task's lock, so that they stay in
    /// order.
    func handle(_ event: TaskLifecycle.Event) { handle(event, nil) }

    /// Handles an event with the result of a run.
    ///
    /// `isWanted` is called under the lock; if it returns `false`, nothing happens.
    private func handle(
        _ event: TaskLifecycle.Event,
        _ result: Result<TaskProduct, DownloadError>? = nil,
        if isWanted: (inout State) -> Bool = { _ in true }
    ) {
        var (hasEnded, discards) = (false, false)
        shared.withLock { state in
            guard isWanted(&state) else { return }
            var actions = state.lifecycle.handle(event)[...]
            while let action = actions.popFirst() {
                switch action {
                case .discard: discards = true
                case .conclude(let end):
                    hasEnded = true
                    clearExpiry(&state)
                    let isCancelled = end == .cancelled
                    if isCancelled { wasCancelled() }
                    state.outcome =
                        isCancelled ? .failure(cancelled(isKept: !discards)) : result
                default: actions += perform(action, &state)
                }
            }
        }
        guard hasEnded else { return }
        if discards { discard { self.reportEnd() } } else { reportEnd() }
    }

    /// Carries out an action.
    ///
    /// Returns the events that follow at once.
    private func perform(_ action: TaskLifecycle.Action, _ state: inout State)
        -> [TaskLifecycle.Action]
    {
        switch action {
        case .start:
            renewControl()
            state.reports.runBegins()
            session.enqueue(self, state.options)
        case .hold:
            hold()
            setExpiry(&state)
        case .release:
            clearExpiry(&state)
            release()
        case .stop(let keeping):
            clearExpiry(&state)
            stop(keeping: keeping)
            if session.runner.dequeue(self) { return state.lifecycle.handle(.runEnded(.stopped)) }
        case .discard, .conclude: break
        }
        return []
    }

    private func setExpiry(_ state: inout State) {
        guard let limit = suspensionLimit else { return }
        let alarms = engine.alarms
        let number = state.suspensions
        // The alarm must not retain the task; it is removed when the suspension ends.
        let ticket = alarms.enroll { [weak self] in
            self?.handle(.suspensionExpired) { $0.suspensions == number }
        }
        alarms.set(ticket, at: engine.time.now() + limit)
        state.expiry = ticket
    }

    private func clearExpiry(_ state: inout State) {
        guard let ticket = state.expiry else { return }
        // The alarm may be ringing already.
        state.suspensions += 1
        engine.alarms.resign(ticket)
        state.expiry = nil
    }

    /// Waits for the outcome; `nil` if the wait was cancelled.
    ///
    /// If nobody else waits then, the task gets `event` in the same step.
    func waitForOutcome(
        else event: TaskLifecycle.Event
    ) async -> (outcome: Result<TaskProduct, DownloadError>?, wasLast: Bool) {
        shared.withLock { $0.waiters += 1 }
        await end.wait()
        var found: (outcome: Result<TaskProduct, DownloadError>?, wasLast: Bool) = (nil, false)
        handle(event) { state in
            state.waiters -= 1
            found = (state.outcome, state.outcome == nil && state.waiters == 0)
            return found.wasLast
        }
        return found
    }

    // MARK: - Running

    /// Runs the task once.
    func run() async {
        handle(.runBegan)
        let slot = RunSlot(session, taskIdentifier, isCounted: takesSlot)
        let result = await withDiscardingTaskGroup(
            returning: Result<TaskProduct, DownloadError>.self
        ) { group in
            if session.delegate != nil { group.addTask { await self.keepReporting() } }
            let result = await attempt(slot)
            group.cancelAll()
            return result
        }
        slot.release()
        switch result {
        case .success: handle(.runEnded(.finished), result)
        case .failure(let error) where error.code == .interrupted: handle(.runEnded(.stopped))
        case .failure: handle(.runEnded(.failed), result)
        }
    }

    private func attempt(_ slot: RunSlot) async -> Result<TaskProduct, DownloadError> {
        do throws(DownloadError) {
            guard !isLate else { throw Self.late }
            return .success(try await work(slot))
        } catch {
            return .failure(error)
        }
    }

    private func keepReporting() async {
        let time = engine.time
        while (try? await time.sleep(until: time.now() + Self.reportInterval)) != nil { report() }
    }

    private static let reportInterval: Duration = .milliseconds(100)

    static let late = DownloadError.usage(
        "the session was invalidated before the task was created",
        advice: "create a new session"
    )

    // MARK: - Reporting

    /// Reports to the delegate what has changed since the last report.
    func report() { shared.withLock { report(&$0, isLast: false) } }

    private func report(_ state: inout State, isLast: Bool) {
        guard session.delegate != nil else { return }
        if let response = state.reports.newResponse(response) {
            session.runner.post(.answered(self, response))
        }
        for event in newEvents(&state.reports, isLast: isLast) { session.runner.post(event) }
    }

    /// Handles that the task begins to wait for the network (`true`), or resumes.
    ///
    /// Meanwhile another task may start.
    func connectivityChanged(_ isWaiting: Bool, _ slot: RunSlot) {
        if isWaiting { slot.lend() } else { slot.reclaim() }
        handle(isWaiting ? .connectivityLost : .connectivityFound)
        // A task that is held or stopped waits for something else.
        guard isWaiting, session.delegate != nil, state == .waitingForConnectivity else { return }
        session.runner.post(.waitsForConnectivity(self))
    }

    /// Handles that the delegate has received the reported bytes.
    func bytesDelivered() { shared.withLock { $0.reports.bytesDelivered() } }

    /// Reports the end to all that wait for it.
    private func reportEnd() {
        let result = shared.withLock { state -> Result<TaskProduct, DownloadError> in
            report(&state, isLast: true)
            return state.outcome
                ?? .failure(DownloadError(.unknown, "the task ended without a reason"))
        }
        settled(result)
        session.runner.post(.completed(self, result, metrics))
        session.ended(self)
        end.complete()
    }

    /// Calls the completion handler.
    ///
    /// Returns whether there was one.
    func callCompletionHandler(_ result: Result<TaskProduct, DownloadError>) -> Bool {
        let handler = shared.withLock { state in
            // The handler may retain the task.
            defer { state.completionHandler = nil }
            return state.completionHandler
        }
        handler?(result)
        return handler != nil
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

    /// Runs until the work or the run ends; `slot` may be released before.
    func work(_ slot: RunSlot) async throws(DownloadError) -> TaskProduct { .given }

    /// Whether the task must wait for its turn.
    var takesSlot: Bool { true }

    /// Deletes the files that the task left, and then calls `done`.
    func discard(_ done: @escaping @Sendable () -> Void) { done() }

    /// Called when the task was cancelled and no run of it is active.
    func wasCancelled() {}

    /// Returns the error of a cancelled task.
    func cancelled(isKept: Bool) -> DownloadError {
        DownloadError(.cancelled, "the task was cancelled")
    }

    /// Returns the events for the delegate besides the response, and records them as reported.
    ///
    /// Called under the task's lock.
    func newEvents(_ reports: inout DelegateReports, isLast: Bool) -> [SessionEvent] { [] }

    /// Called when the outcome is final and about to be reported.
    func settled(_ outcome: Result<TaskProduct, DownloadError>) {}
}

extension SessionTask: ProgressSource {
    var engine: Engine { session.engine }
}
