internal import Glibc
internal import PawlCore
internal import Synchronization
internal import PawlEngine

/// What the delegate and the completion handler hear of a task.
extension DownloadTask {
    static let tellingInterval: Duration = .milliseconds(100)

    /// Tells the delegate what has changed since the last time.
    func tell() { shared.withLock { tell(&$0, isLast: false) } }

    private func tell(_ state: inout State, isLast: Bool) {
        guard session.delegate != nil else { return }
        let progress = monitor.progress
        if !state.told.hasResponse, let response = monitor.response {
            state.told.hasResponse = true
            session.post(.answered(self, response))
        }
        if !state.told.hasOffset, progress.resumedBytes > 0, progress.phase == .receiving || isLast
        {
            state.told.hasOffset = true
            state.told.bytes = progress.resumedBytes
            session.post(
                .resumed(self, offset: progress.resumedBytes, expected: progress.totalBytes)
            )
        }
        let count = progress.completedBytes - state.told.bytes
        // One that waits to be told is enough: a slow delegate must not make a queue grow.
        guard count > 0, isLast || !state.told.isUnderWay else { return }
        state.told.bytes = progress.completedBytes
        state.told.isUnderWay = true
        session.post(
            .wrote(
                self,
                count: count,
                total: progress.completedBytes,
                expected: progress.totalBytes
            )
        )
    }

    func tellConnectivityIsLost() {
        if session.delegate != nil { session.post(.waitsForConnectivity(self)) }
    }

    func wasTold() { shared.withLock { $0.told.isUnderWay = false } }

    /// The end, to all who wait for it.
    func tellEnd() {
        let result = shared.withLock { state -> Result<DownloadedFile, DownloadError> in
            tell(&state, isLast: true)
            return state.outcome ?? .failure(DownloadError(.unknown, "it ended without a reason"))
        }
        if case .success(let file) = result { session.post(.finished(self, file)) }
        session.post(.completed(self, result, monitor.metrics))
        session.ended(self)
        toldEnd()
    }

    func callCompletionHandler(_ result: Result<DownloadedFile, DownloadError>) {
        let handler = shared.withLock { state in
            // It may hold the task.
            defer { state.completionHandler = nil }
            return state.completionHandler
        }
        handler?(result)
    }

    /// After those have heard of it who were to move it.
    func removeTemporaryFile(hasDelegate: Bool) {
        let (outcome, hasHandler) = shared.withLock { ($0.outcome, $0.hasCompletionHandler) }
        guard case .temporary = destination, hasDelegate || hasHandler,
            case .success(let file) = outcome
        else { return }
        unlink(file.path)
    }
}
