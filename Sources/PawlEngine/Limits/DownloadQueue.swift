internal import PawlCore
internal import Synchronization

/// Limits how many downloads run at the same time; the others wait in order.
package final class DownloadQueue: Sendable {
    private struct State {
        var scheduler: StartScheduler<UInt64>
        var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>
    private let limit: Int

    package init(limit: Int) {
        self.limit = max(1, limit)
        state = Mutex(State(scheduler: StartScheduler(limit: self.limit)))
    }

    /// Waits for a turn, which has to be ended; `nil` if the task was cancelled before.
    package func turn() async -> DownloadTurn? {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let isAdmitted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Cancelled before it waits: the handler below found nobody to wake.
                let isCancelled = state.withLock { state in
                    guard !Task.isCancelled else { return true }
                    state.waiters[id] = continuation
                    state.scheduler.wait(.init(id: id, position: Int64(id)))
                    return false
                }
                if isCancelled { continuation.resume(returning: false) } else { admit() }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.scheduler.leave(id) ? state.waiters.removeValue(forKey: id) : nil
            }
            cancelled?.resume(returning: false)
        }
        guard isAdmitted else { return nil }
        return DownloadTurn(mayEndEarly: limit > 1) {
            self.state.withLock { $0.scheduler.ended(id) }
            self.admit()
        }
    }

    private func admit() {
        let admitted = state.withLock { state in
            state.scheduler.begin().compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in admitted { waiter.resume(returning: true) }
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
