package import PawlCore
package import PawlWire

/// What an action makes of a download in that state.
package enum ActionRules {
    package enum Effect: Equatable {
        case become(TaskState)
        case remove
        case moveFirst, moveLast
        /// It is so already.
        case nothing
        /// It cannot be, for this reason.
        case refuse(String)
    }

    /// `waitsToRetry`: it has failed, and waits for the time of its next try.
    package static func effect(
        _ action: QueueAction,
        on state: TaskState,
        waitsToRetry: Bool = false
    ) -> Effect {
        switch action {
        case .pause: pause(state)
        case .resume: resume(state, waitsToRetry: waitsToRetry)
        case .cancel: cancel(state)
        case .remove, .removeWithFiles: .remove
        case .moveFirst: state.isEnd ? .refuse("it has ended") : .moveFirst
        case .moveLast: state.isEnd ? .refuse("it has ended") : .moveLast
        }
    }

    /// What `all` means, as far as the state tells.
    package static func states(_ action: QueueAction) -> Set<TaskState> {
        Set(
            TaskState.allCases.filter { state in
                switch effect(action, on: state, waitsToRetry: true) {
                case .refuse, .nothing: false
                // Cancelled ones go on where they are named.
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
    /// What tells that a download was put into that state by somebody.
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
