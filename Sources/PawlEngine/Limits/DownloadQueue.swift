internal import PawlCore
internal import Synchronization

/// Limits how many downloads run at the same time; the others wait in order.
package final class DownloadQueue: Sendable {
    private struct State {
        var scheduler: StartScheduler
        var admissions: [Int64: Completion<Void>] = [:]
        var lastID: Int64 = 0
    }

    private let state: Mutex<State>
    private let limit: Int

    package init(limit: Int) {
        self.limit = max(1, limit)
        state = Mutex(State(scheduler: StartScheduler(limit: self.limit)))
    }

    /// Waits for a turn, which has to be ended; `nil` if the task was cancelled before.
    package func turn() async -> DownloadTurn? {
        guard !Task.isCancelled else { return nil }
        let admission = Completion<Void>()
        let id = state.withLock { state in
            state.lastID += 1
            state.admissions[state.lastID] = admission
            state.scheduler.wait(.init(id: state.lastID, position: state.lastID))
            return state.lastID
        }
        admit()
        if await admission.wait() == nil {
            let hasLeft = state.withLock { state in
                guard state.scheduler.leave(id) else { return false }
                state.admissions[id] = nil
                return true
            }
            if hasLeft { return nil }
        }
        return DownloadTurn(mayEndEarly: limit > 1) {
            self.state.withLock { $0.scheduler.ended(id) }
            self.admit()
        }
    }

    private func admit() {
        let admitted = state.withLock { state in
            state.scheduler.begin().compactMap { state.admissions.removeValue(forKey: $0) }
        }
        for admission in admitted { admission.complete() }
    }
}

/// A download's place among those that run.
///
/// It may be given up before the download has ended, when that needs the network no more.
package final class DownloadTurn: Sendable {
    private let hasEnded = Atomic<Bool>(false)
    private let mayEndEarly: Bool
    private let whenEnded: @Sendable () -> Void

    init(mayEndEarly: Bool, whenEnded: @escaping @Sendable () -> Void) {
        self.mayEndEarly = mayEndEarly
        self.whenEnded = whenEnded
    }

    /// Before the file has its name, unless one download is to follow the other.
    package func endEarly() {
        if mayEndEarly { end() }
    }

    package func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { whenEnded() }
    }
}
