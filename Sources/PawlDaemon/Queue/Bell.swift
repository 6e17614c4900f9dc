internal import Synchronization

/// Wakes one who waits; what rang while nobody did is not lost.
final class Bell: Sendable {
    private struct State {
        var rang = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func ring() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.rang = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns also where the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await waitInAnyCase()
        } onCancel: {
            ring()
        }
    }

    /// Waits also where the task was cancelled.
    func waitInAnyCase() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard !state.rang else {
                    state.rang = false
                    return true
                }
                state.waiter = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Returns also after that time.
    func wait(atMost time: Duration?) async {
        guard let time else { return await wait() }
        guard time > .zero else { return }
        await withTaskGroup { group in
            group.addTask { await self.wait() }
            // Cancelled means that it rang.
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}
