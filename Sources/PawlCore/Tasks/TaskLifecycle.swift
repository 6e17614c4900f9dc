/// The states of one task and the allowed transitions: events in, actions out.
///
/// A *run* is one attempt of the engine at the task. It begins with `.start` and lasts until
/// `.runEnded`, even if it was stopped meanwhile. There is never more than one.
package struct TaskLifecycle: Sendable, Hashable {
    package enum Event: Sendable, Hashable {
        case resumeAsked
        case suspendAsked
        /// The task has been suspended for longer than its connections are kept.
        case suspensionExpired
        case pauseAsked
        case cancelAsked(keeping: Bool)
        /// The task's turn has come.
        case runBegan
        case connectivityLost
        case connectivityFound
        case runEnded(RunEnd)
    }

    package enum RunEnd: Sendable, Hashable {
        case finished
        case failed
        /// The run was stopped.
        ///
        /// The bytes received so far are kept, unless they were to be deleted.
        case stopped
    }

    package enum Action: Sendable, Hashable {
        /// Queue the task for a run.
        case start
        /// Stop receiving bytes, and keep the connections.
        case hold
        /// Continue after `.hold`.
        case release
        /// End the run.
        ///
        /// `keeping`: whether the bytes received so far are kept.
        case stop(keeping: Bool)
        /// Delete the bytes that an earlier run of this task left.
        case discard
        /// Report the end of the task to everybody.
        case conclude(TaskState)
    }

    private enum Run: Sendable, Hashable {
        case none, going, stopping
    }

    package private(set) var state = TaskState.suspended
    private var run = Run.none
    /// Whether the run waits for the network; also `true` if the task is held at the same time.
    private var isOffline = false
    /// Whether the received bytes are to be kept at the end.
    private var isKeeping = true

    package init() {}

    /// Whether a run was started and has not ended.
    package var isRunning: Bool { run != .none }

    /// Whether the run was asked to stop.
    package var isStopping: Bool { run == .stopping }

    package mutating func handle(_ event: Event) -> [Action] {
        if state.isEnd { return afterEnd(event) }
        switch event {
        case .resumeAsked: return resume()
        case .suspendAsked: return suspend()
        case .suspensionExpired: return state == .suspended ? pause() : []
        case .pauseAsked: return pause()
        case .cancelAsked(let keeping): return cancel(keeping: keeping)
        case .runBegan:
            // A run may begin after it was asked to stop.
            if run == .going { move(from: .waiting, to: .running) }
        case .connectivityLost:
            isOffline = run == .going
            move(from: .running, to: .waitingForConnectivity)
        case .connectivityFound:
            isOffline = false
            move(from: .waitingForConnectivity, to: .running)
        case .runEnded(let end): return ended(end)
        }
        return []
    }

    private mutating func move(from old: TaskState, to new: TaskState) {
        if state == old { state = new }
    }

    private mutating func resume() -> [Action] {
        guard state == .suspended || state == .paused else { return [] }
        switch run {
        case .going:
            state = isOffline ? .waitingForConnectivity : .running
            return [.release]
        case .none:
            state = .waiting
            run = .going
            return [.start]
        case .stopping:
            // The task starts again when the old run has ended.
            state = .waiting
            return []
        }
    }

    private mutating func suspend() -> [Action] {
        switch state {
        case .running:
            state = .suspended
            return [.hold]
        case .waiting, .waitingForConnectivity:
            state = .suspended
            return stop(keeping: true)
        default: return []
        }
    }

    private mutating func pause() -> [Action] {
        guard state != .paused else { return [] }
        state = .paused
        return stop(keeping: true)
    }

    private mutating func cancel(keeping: Bool) -> [Action] {
        state = .cancelled
        isKeeping = keeping
        switch run {
        case .none: return (keeping ? [] : [.discard]) + [.conclude(.cancelled)]
        case .going: return stop(keeping: keeping)
        case .stopping: return []
        }
    }

    private mutating func stop(keeping: Bool) -> [Action] {
        guard run == .going else { return [] }
        run = .stopping
        return [.stop(keeping: keeping)]
    }

    private mutating func ended(_ end: RunEnd) -> [Action] {
        run = .none
        isOffline = false
        switch end {
        case .finished: state = .finished
        case .failed: state = .failed
        case .stopped:
            guard state == .waiting else {
                if state == .suspended || state == .paused { return [] }
                // It was stopped from outside: the whole engine was shut down.
                state = .cancelled
                return [.conclude(.cancelled)]
            }
            run = .going
            return [.start]
        }
        return [.conclude(state)]
    }

    private mutating func afterEnd(_ event: Event) -> [Action] {
        guard case .runEnded(let end) = event, state == .cancelled, run != .none else { return [] }
        run = .none
        if end == .finished {
            // The cancellation came too late: the file has its name.
            state = .finished
            return [.conclude(.finished)]
        }
        // A run that was stopped before it was cancelled has kept its bytes.
        return (isKeeping ? [] : [.discard]) + [.conclude(.cancelled)]
    }
}
