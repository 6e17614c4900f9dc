internal import PawlCore
internal import Synchronization
internal import PawlEngine
internal import PawlStorage

/// Beginning, holding, pausing, cancelling: what is asked goes through the lifecycle, and what it
/// says is done under the task's lock, so that it is done in order.
extension DownloadTask {
    /// Begins the task, or lets it go on after a suspension or a pause.
    ///
    /// Nothing happens where it runs or has ended.
    public func resume() { handle(.resumeAsked) }

    /// Lets no more bytes come, and keeps the connections for a while (the session's
    /// `suspensionLimit`).
    ///
    /// Servers cut connections that stand still for long; what came is kept in any case.
    public func suspend() { handle(.suspendAsked) }

    /// Ends the connections and keeps what came; `resume()` goes on.
    public func pause() { handle(.pauseAsked) }

    /// Ends the task and throws away what came.
    ///
    /// A file that was complete before is not touched.
    public func cancel() { end(keeping: false) }

    /// Ends the task; what came is kept where it can be gone on with.
    func end(keeping: Bool) { handle(.cancelAsked(keeping: keeping)) }

    func handle(
        _ event: TaskLifecycle.Event,
        _ result: Result<DownloadedFile, DownloadError>? = nil
    ) {
        var (hasEnded, discards) = (false, false)
        shared.withLock { state in
            var actions = state.lifecycle.handle(event)[...]
            while let action = actions.popFirst() {
                switch action {
                case .discard: discards = true
                case .conclude(let end):
                    hasEnded = true
                    clearExpiry(&state)
                    let isCancelled = end == .cancelled
                    state.outcome =
                        isCancelled ? .failure(cancelled(isKept: !discards)) : result
                default: actions += perform(action, &state)
                }
            }
        }
        guard hasEnded else { return }
        guard discards, let paths = monitor.paths else { return tellEnd() }
        let engine = session.engine
        engine.disk.start { _ in
            Leftover.discard(paths, engine)
            self.tellEnd()
        }
    }

    /// What follows at once comes back.
    private func perform(_ action: TaskLifecycle.Action, _ state: inout State)
        -> [TaskLifecycle.Action]
    {
        switch action {
        case .start:
            state.control = DownloadControl()
            session.enqueue(self, priority: state.priority, notBefore: state.earliestBeginDate)
        case .hold:
            state.control.suspend()
            setExpiry(&state)
        case .release:
            clearExpiry(&state)
            state.control.resume()
        case .stop(let keeping):
            clearExpiry(&state)
            state.control.stop(keeping: keeping)
            if session.dequeue(self) { return state.lifecycle.handle(.runEnded(.stopped)) }
        case .discard, .conclude: break
        }
        return []
    }

    private func setExpiry(_ state: inout State) {
        let alarms = session.engine.alarms
        // The alarm must not keep the task: it is resigned when the suspension ends.
        let ticket = alarms.enroll { [weak self] in self?.handle(.suspensionExpired) }
        alarms.set(ticket, at: now + session.configuration.suspensionLimit)
        state.expiry = ticket
    }

    private func clearExpiry(_ state: inout State) {
        guard let ticket = state.expiry else { return }
        session.engine.alarms.resign(ticket)
        state.expiry = nil
    }

    private func cancelled(isKept: Bool) -> DownloadError {
        var error = DownloadError(.cancelled, "the task was cancelled")
        guard isKept else { return error }
        error.resumeData = monitor.resumeData
        if error.resumeData == nil { error.resumeObstacle = monitor.resumability.obstacle }
        return error
    }
}
