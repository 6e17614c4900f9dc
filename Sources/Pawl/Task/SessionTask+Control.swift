internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// Beginning, holding, pausing, cancelling: what is asked goes through the lifecycle, and what it
/// says is done under the task's lock, so that it is done in order.
extension SessionTask {
    /// Begins the task, or lets it go on after a suspension or a pause.
    ///
    /// Nothing happens where it runs or has ended.
    public func resume() { handle(.resumeAsked) }

    /// Lets no more bytes come, and keeps the connections: a download for as long as the session's
    /// `suspensionLimit` says, then it is paused.
    ///
    /// Servers cut connections that stand still for long; what came of a download is kept in any
    /// case.
    public func suspend() { handle(.suspendAsked) }

    /// Ends the task and throws away what came.
    ///
    /// A file that was complete before is not touched.
    public func cancel() { end(keeping: false) }

    /// Ends the task; what came is kept where it can be gone on with.
    package func end(keeping: Bool) { handle(.cancelAsked(keeping: keeping)) }

    /// `isWanted` is asked under the lock; where it says no, nothing happens.
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

    /// What follows at once comes back.
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
        // The alarm must not keep the task: it is resigned when the suspension ends.
        let ticket = alarms.enroll { [weak self] in
            self?.handle(.suspensionExpired) { $0.suspensions == number }
        }
        alarms.set(ticket, at: engine.time.now() + limit)
        state.expiry = ticket
    }

    private func clearExpiry(_ state: inout State) {
        guard let ticket = state.expiry else { return }
        // It may be ringing already.
        state.suspensions += 1
        engine.alarms.resign(ticket)
        state.expiry = nil
    }

    /// The outcome, once there is one; nil where the waiting was cancelled.
    ///
    /// Where nobody else waits then, the task gets `event`: both in one step.
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
