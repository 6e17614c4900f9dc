internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// Starting, holding, pausing and cancelling.
///
/// Requests pass through the lifecycle, and its actions are carried out under the task's lock, so
/// that they stay in order.
extension SessionTask {
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

    /// Handles an event.
    ///
    /// `isWanted` is called under the lock; if it returns `false`, nothing happens.
    func handle(
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
        if discards { discard { self.tellEnd() } } else { tellEnd() }
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
            state.told.hasOffset = false
            session.enqueue(self, priority: state.priority, notBefore: state.earliestBeginDate)
        case .hold:
            hold()
            setExpiry(&state)
        case .release:
            clearExpiry(&state)
            release()
        case .stop(let keeping):
            clearExpiry(&state)
            stop(keeping: keeping)
            if session.dequeue(self) { return state.lifecycle.handle(.runEnded(.stopped)) }
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
}
