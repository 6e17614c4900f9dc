internal import PawlCore
internal import Synchronization

/// The events of a task for the delegate and the completion handler.
extension SessionTask {
    /// Reports to the delegate what has changed since the last report.
    func tell(isLast: Bool = false) { shared.withLock { tell(&$0, isLast: isLast) } }

    private func tell(_ state: inout State, isLast: Bool) {
        guard session.delegate != nil else { return }
        if !state.told.hasResponse, let response {
            state.told.hasResponse = true
            session.post(.answered(self, response))
        }
        tell(&state.told, isLast: isLast)
    }

    /// Handles that the task begins to wait for the network (`true`), or resumes.
    ///
    /// Meanwhile another task may start.
    func connectivityChanged(_ isWaiting: Bool, _ place: StartPlace) {
        if isWaiting { place.lend() } else { place.takeBack() }
        handle(isWaiting ? .connectivityLost : .connectivityFound)
        // A task that is held or stopped waits for something else.
        guard isWaiting, session.delegate != nil, state == .waitingForConnectivity else { return }
        session.post(.waitsForConnectivity(self))
    }

    func wasTold() { shared.withLock { $0.told.isUnderWay = false } }

    /// Reports the end to all that wait for it.
    func tellEnd() {
        let result = shared.withLock { state -> Result<TaskProduct, DownloadError> in
            tell(&state, isLast: true)
            return state.outcome
                ?? .failure(DownloadError(.unknown, "the task ended without a reason"))
        }
        settled(result)
        session.post(.completed(self, result, metrics))
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
}
