internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// One run of the engine for a task.
extension SessionTask {
    func run() async {
        handle(.runBegan)
        let place = StartPlace(session, taskIdentifier, isCounted: takesPlace)
        let result = await withDiscardingTaskGroup(
            returning: Result<TaskProduct, DownloadError>.self
        ) { group in
            if session.delegate != nil { group.addTask { await self.keepTelling() } }
            let result = await attempt(place)
            group.cancelAll()
            return result
        }
        place.end()
        switch result {
        case .success: handle(.runEnded(.finished), result)
        case .failure(let error) where error.code == .interrupted: handle(.runEnded(.stopped))
        case .failure: handle(.runEnded(.failed), result)
        }
    }

    private func attempt(_ place: StartPlace) async -> Result<TaskProduct, DownloadError> {
        do throws(DownloadError) {
            guard !isLate else { throw Self.late }
            return .success(try await work(place))
        } catch {
            return .failure(error)
        }
    }

    private func keepTelling() async {
        let time = engine.time
        while (try? await time.sleep(until: time.now() + Self.tellingInterval)) != nil { tell() }
    }

    private static let tellingInterval: Duration = .milliseconds(100)

    static let late = DownloadError(
        .usage,
        "the session was invalidated before the task was created",
        advice: "create a new session"
    )
}
