public import struct FoundationEssentials.Date
public import PawlCore
package import PawlEngine
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
        var reports = TaskReports()
        /// Whether a run is active.
        var isActive = false
        /// The alarm for the next report; `nil` if no run is active, or nobody is told.
        var reportAlarm: AlarmClock.Ticket?
        /// The readers of its events; `nil` if there were none.
        var feeds: EventFeeds<TaskEvent>?
        /// Whether its end was reported.
        var isReported = false
        /// Completes when the current run has ended; `nil` if nobody waits for it.
        var runEnd: Completion<Void>?
        /// Wakes the run that waits for the delegate's decision, when it is to stop.
        var decisionStop: Wakeup?
    }

    typealias CompletionHandler = @Sendable (Result<TaskProduct, DownloadError>) -> Void

    /// The task's membership in its session.
    struct Membership {
        var session: DownloadSession
        var number: Int
        /// Whether the task was created after the session was invalidated, so that it fails.
        var isLate: Bool
    }

    /// The task's number, unique within the session and counted from 1; in a background session it
    /// is a large number.
    public let taskIdentifier: Int
    /// The request with which the task was created.
    public let originalRequest: DownloadRequest
    /// The session's settings with the changes and the fields of the request.
    let settings: DownloadSettings
    /// The session of the task.
    public let session: DownloadSession
    let isLate: Bool
    private let shared: Mutex<State>
    package let end = Completion<Void>()
    /// Completes when the delegate was told of the response, with its decision; `nil` if it does
    /// not decide.
    private let decision: Completion<ResponseDisposition>?

    init(
        _ request: DownloadRequest,
        _ settings: DownloadSettings,
        at membership: Membership,
        completionHandler: CompletionHandler?
    ) {
        taskIdentifier = membership.number
        session = membership.session
        decision = session.delegateDecides ? Completion() : nil
        isLate = membership.isLate
        originalRequest = request
        self.settings = settings
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
    /// A slow reader skips values and gets the newest. The number of bytes never decreases, except
    /// after ``TaskEvent/startedOver(_:)``. Readers do not slow the transfer down, and there can be
    /// any number of them. The first value is available at once, even directly after a
    /// resume.
    public var progress: ProgressUpdates<DownloadProgress> { ProgressUpdates(self) }

    /// The current progress.
    public var currentProgress: DownloadProgress { shown(ownProgress) }

    /// Returns the progress as the state of the task lets it appear.
    func shown(_ progress: DownloadProgress) -> DownloadProgress {
        var progress = progress
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
    /// Servers close connections that are idle for a long time; the received bytes of a download
    /// are kept in any case.
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
        let runEnd = shared.withLock { state -> Completion<Void>? in
            guard isWanted(&state) else { return nil }
            var actions = state.lifecycle.handle(event)[...]
            while let action = actions.popFirst() {
                switch action {
                case .discard: discards = true
                case .conclude(let end):
                    hasEnded = true
                    clearExpiry(&state)
                    let isCancelled = end == .cancelled
                    if isCancelled { wasCancelled() }
                    let outcome =
                        isCancelled ? .failure(cancelled(isKept: !discards)) : result
                    state.outcome = outcome?.mapError { $0.about(originalRequest.url) }
                default: actions += perform(action, &state)
                }
            }
            guard event.endsRun || !state.lifecycle.isRunning else { return nil }
            defer { state.runEnd = nil }
            return state.runEnd
        }
        runEnd?.complete()
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
            state.decisionStop?.send()
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

    /// Begins a run.
    ///
    /// Returns the run if it needs a Swift task; `nil` if it is in the lane for small files.
    func beginRun() -> TaskRun? {
        handle(.runBegan)
        let slot = RunSlot(session, taskIdentifier, isCounted: takesSlot)
        shared.withLock { state in
            state.isActive = true
            keepReporting(&state)
        }
        return !isLate && enterLane(slot) ? nil : TaskRun(task: self, slot: slot)
    }

    /// Ends a run, from any thread.
    func endRun(_ slot: RunSlot, _ result: Result<TaskProduct, DownloadError>) {
        shared.withLock { state in
            state.isActive = false
            stopReporting(&state)
        }
        slot.release()
        switch result {
        case .success: handle(.runEnded(.finished), result)
        case .failure(let error) where error.code == .interrupted: handle(.runEnded(.stopped))
        case .failure: handle(.runEnded(.failed), result)
        }
        session.runner.runEnded()
    }

    /// Waits until the current run has ended; returns at once if there is none.
    func waitForRunEnd() async {
        let end = shared.withLock { state -> Completion<Void>? in
            guard state.lifecycle.isRunning else { return nil }
            let end = state.runEnd ?? Completion()
            state.runEnd = end
            return end
        }
        await end?.waitIgnoringCancellation()
    }

    /// Does the work of a run that needs a Swift task.
    func perform(_ run: TaskRun) async {
        let result: Result<TaskProduct, DownloadError>
        do throws(DownloadError) {
            guard !isLate else { throw Self.late }
            result = .success(try await work(run.slot, after: run.handover))
        } catch {
            result = .failure(error)
        }
        endRun(run.slot, result)
    }

    static let late = DownloadError.usage(
        "the session was invalidated, so it sends no new request",
        advice: "create a new session"
    )

    // MARK: - Reporting

    /// The events of the task from now on, for one reader, in the order in which they are reported
    /// to the delegate.
    ///
    /// The sequence ends with ``TaskEvent/finished(_:)`` or ``TaskEvent/failed(_:)``, which is its
    /// only event if the task has already ended. Each event is reported once. Unread progress is
    /// replaced by newer progress, so that a slow reader needs no memory. In a background session,
    /// an event counts as delivered when the reader asks for the next one: read a sequence that you
    /// hold.
    public var events: EventSequence<TaskEvent> {
        shared.withLock { state in
            if state.isReported, let outcome = state.outcome {
                let feeds = EventFeeds<TaskEvent>()
                feeds.keep(TaskEvent(outcome))
                feeds.end()
                return feeds.makeSequence()
            }
            let feeds = state.feeds ?? EventFeeds(TaskEvent.bounds)
            state.feeds = feeds
            if state.isActive { keepReporting(&state) }
            return feeds.makeSequence()
        }
    }

    /// The readers of its events; `nil` if there were none.
    var feeds: EventFeeds<TaskEvent>? { shared.withLock { $0.feeds } }

    /// Handles that the session has a new reader of events.
    func observed() { shared.withLock { if $0.isActive { keepReporting(&$0) } } }

    private func isObserved(_ state: borrowing State) -> Bool {
        state.feeds != nil || session.isObserved
    }

    /// Reports from now on what changes, about ten times per second, if anybody is told.
    private func keepReporting(_ state: inout State) {
        guard state.reportAlarm == nil, isObserved(state) else { return }
        let ticket = engine.alarms.enroll { [weak self] in self?.reportInTime() }
        state.reportAlarm = ticket
        setAlarm(ticket)
    }

    private func setAlarm(_ ticket: AlarmClock.Ticket) {
        // All tasks report at the same times, so that they need one alarm.
        let moment = Moment.nextReport(after: engine.time.now())
        engine.alarms.set(ticket, at: moment)
    }

    private func reportInTime() {
        shared.withLock { state in
            guard let ticket = state.reportAlarm else { return }
            report(&state, isLast: false)
            setAlarm(ticket)
        }
    }

    private func stopReporting(_ state: inout State) {
        guard let ticket = state.reportAlarm else { return }
        engine.alarms.resign(ticket)
        state.reportAlarm = nil
    }

    /// Reports what has changed since the last report.
    func report() { shared.withLock { report(&$0, isLast: false) } }

    private func report(_ state: inout State, isLast: Bool) {
        guard isObserved(state) else { return }
        if let response = state.reports.newResponse(response) {
            session.runner.post(.answered(self, response))
        }
        for event in newEvents(&state.reports, isLast: isLast) { session.runner.post(event) }
    }

    /// Handles that the task begins to wait for the network (`true`), or resumes.
    ///
    /// Meanwhile another task may start.
    func connectivityChanged(_ isWaiting: Bool, _ slot: RunSlot) {
        if isWaiting { slot.lend() } else { slot.takeBack() }
        handle(isWaiting ? .connectivityLost : .connectivityFound)
        // A task that is held or stopped waits for something else.
        guard isWaiting, shared.withLock({ isObserved($0) }), state == .waitingForConnectivity
        else {
            return
        }
        session.runner.post(.waitsForConnectivity(self))
    }

    /// Handles that the reported progress was delivered.
    func progressDelivered() { shared.withLock { $0.reports.progressDelivered() } }

    /// Whether the task was stopped or has ended, so that nothing more of its body is delivered.
    var isEnding: Bool { shared.withLock { $0.lifecycle.isStopping || $0.outcome != nil } }

    /// Handles that the delegate was told of the response.
    func decided(_ disposition: ResponseDisposition) {
        if disposition == .cancel { cancel() }
        decision?.complete(with: disposition)
    }

    /// Waits until the delegate has decided on the response.
    ///
    /// Throws if it has cancelled the task, or the run was stopped meanwhile.
    func waitForDecision() async throws(DownloadError) {
        let isReported = shared.withLock { state in
            report(&state, isLast: false)
            return state.reports.hasResponse
        }
        guard isReported, let decision else { return }
        let stop = Wakeup()
        shared.withLock { $0.decisionStop = stop }
        defer { shared.withLock { $0.decisionStop = nil } }
        // A delegate may wait for the end of the run, so this must not wait for the delegate then.
        while !shared.withLock({ $0.lifecycle.isStopping }) {
            switch await decision.waitIgnoringCancellation(or: stop) {
            case .allow where !shared.withLock({ $0.lifecycle.isStopping }): return
            case .allow, .cancel, nil: break
            }
        }
        throw DownloadError(.interrupted, "the task was stopped")
    }

    /// Reports the end to all that wait for it.
    private func reportEnd() {
        let (result, isAwaited) = shared.withLock { state in
            report(&state, isLast: true)
            state.isReported = true
            let result =
                state.outcome
                ?? .failure(DownloadError(.unknown, "the task ended without a reason"))
            return (result, state.completionHandler != nil || isObserved(state))
        }
        settled(result)
        if isAwaited {
            session.runner.post(.completed(self, reported(result), metrics))
        }
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
    ///
    /// `handover` is what the lane for small files has left, if the run was in it.
    func work(
        _ slot: RunSlot,
        after handover: Handover?
    ) async throws(DownloadError) -> TaskProduct { .given }

    /// Begins the run in the lane for small files, which needs no Swift task.
    ///
    /// Returns `false` if the run does not fit there.
    func enterLane(_ slot: RunSlot) -> Bool { false }

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

    /// Returns the events besides the response, and records them as reported.
    ///
    /// Called under the task's lock.
    func newEvents(_ reports: inout TaskReports, isLast: Bool) -> [Delivery] { [] }

    /// Called when the outcome is final and about to be reported.
    func settled(_ outcome: Result<TaskProduct, DownloadError>) {}

    /// Returns the outcome as it is reported.
    func reported(_ outcome: Result<TaskProduct, DownloadError>)
        -> Result<TaskProduct, DownloadError>
    { outcome }
}

extension SessionTask: InstantProgressSource {
    package typealias Value = DownloadProgress

    package var engine: Engine { session.engine }
    package var hasEnded: Bool { end.isComplete }
    package var lastEnd: Completion<Void>? { end }
}

extension TaskLifecycle.Event {
    /// Whether the event is the end of a run, although another one may begin at once.
    fileprivate var endsRun: Bool { if case .runEnded = self { true } else { false } }
}
