internal import PawlCore
internal import Synchronization

/// What the delegate and the completion handler hear of a task.
extension SessionTask {
    /// Tells the delegate what has changed since the last time.
    func tell(isLast: Bool = false) { shared.withLock { tell(&$0, isLast: isLast) } }

    private func tell(_ state: inout State, isLast: Bool) {
        guard session.delegate != nil else { return }
        if !state.told.hasResponse, let response {
            state.told.hasResponse = true
            session.post(.answered(self, response))
        }
        tell(&state.told, isLast: isLast)
    }

    /// It begins to wait for the network (true), or goes on; meanwhile another task may begin.
    func connectivityChanged(_ isWaiting: Bool, _ place: StartPlace) {
        if isWaiting { place.lend() } else { place.takeBack() }
        handle(isWaiting ? .connectivityLost : .connectivityFound)
        // One that is held or stopped waits for other things.
        guard isWaiting, session.delegate != nil, state == .waitingForConnectivity else { return }
        session.post(.waitsForConnectivity(self))
    }

    func wasTold() { shared.withLock { $0.told.isUnderWay = false } }

    /// The end, to all who wait for it.
    func tellEnd() {
        let result = shared.withLock { state -> Result<TaskProduct, DownloadError> in
            tell(&state, isLast: true)
            return state.outcome ?? .failure(DownloadError(.unknown, "it ended without a reason"))
        }
        settled(result)
        session.post(.completed(self, result, metrics))
        session.ended(self)
        end.set()
    }

    /// Returns whether there was one.
    func callCompletionHandler(_ result: Result<TaskProduct, DownloadError>) -> Bool {
        let handler = shared.withLock { state in
            // It may hold the task.
            defer { state.completionHandler = nil }
            return state.completionHandler
        }
        handler?(result)
        return handler != nil
    }
}
