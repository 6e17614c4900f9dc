package import PawlCore
package import PawlWire

/// Decides what an action does to a download in a state (pure).
package enum ActionRules {
    package enum Effect: Equatable {
        case become(TaskState)
        case remove
        case moveFirst, moveLast
        /// The download is already in the requested state.
        case nothing
        /// The action is not possible, for this reason.
        case refuse(String)
    }

    /// Returns what an action does to a download.
    ///
    /// - Parameters:
    ///   - waitsToRetry: Whether the download has failed and waits for its next attempt.
    ///   - isComplete: Whether its file is complete, and its end is not recorded yet: a rule may be
    ///     moving the file.
    package static func effect(
        _ action: QueueAction,
        on state: TaskState,
        waitsToRetry: Bool = false,
        isComplete: Bool = false
    ) -> Effect {
        if isComplete, action == .pause || action == .cancel, !state.isEnd {
            return .refuse("it is complete, and its end is being recorded")
        }
        return switch action {
        case .pause: pause(state)
        case .resume: resume(state, waitsToRetry: waitsToRetry)
        case .cancel: cancel(state)
        case .remove, .removeWithFiles: .remove
        case .moveFirst: state.isEnd ? .refuse("it has ended") : .moveFirst
        case .moveLast: state.isEnd ? .refuse("it has ended") : .moveLast
        }
    }

    /// Returns the states of the downloads that `all` means.
    package static func states(_ action: QueueAction) -> Set<TaskState> {
        Set(
            TaskState.allCases.filter { state in
                switch effect(action, on: state, waitsToRetry: true) {
                case .refuse, .nothing: false
                // Cancelled downloads are resumed only if they are named.
                case .become(.waiting): state != .cancelled
                case .become, .remove, .moveFirst, .moveLast: true
                }
            }
        )
    }

    private static func pause(_ state: TaskState) -> Effect {
        switch state {
        case .waiting, .waitingForConnectivity, .running, .suspended: .become(.paused)
        case .paused: .nothing
        case .finished, .failed, .cancelled: .refuse("it has ended")
        }
    }

    private static func resume(_ state: TaskState, waitsToRetry: Bool) -> Effect {
        switch state {
        case .waiting where waitsToRetry: .become(.waiting)
        case .paused, .suspended, .failed, .cancelled: .become(.waiting)
        case .waiting, .waitingForConnectivity, .running: .nothing
        case .finished: .refuse("it has finished")
        }
    }

    private static func cancel(_ state: TaskState) -> Effect {
        switch state {
        case .waiting, .waitingForConnectivity, .running, .suspended, .paused, .failed:
            .become(.cancelled)
        case .cancelled: .nothing
        case .finished: .refuse("it has finished")
        }
    }
}

extension WireEvent.Kind {
    /// The event for a download that a client has put into this state.
    init(putInto state: TaskState) {
        switch state {
        case .paused, .suspended: self = .paused
        case .cancelled: self = .cancelled
        case .finished: self = .finished
        case .failed: self = .failed
        case .waiting, .waitingForConnectivity, .running: self = .resumed
        }
    }
}
