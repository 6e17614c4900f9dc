internal import Synchronization

/// Wakes a task that waits until there is something to do.
///
/// A wake-up that is sent while no task waits is kept and ends the next wait. Only one task may
/// wait at a time.
package final class Wakeup: Sendable {
    private struct State {
        var isSent = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func send() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isSent = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for a wake-up or the cancellation of the task.
    package func wait() async {
        await withTaskCancellationHandler {
            await waitIgnoringCancellation()
        } onCancel: {
            send()
        }
    }

    /// Waits for a wake-up, even if the task is cancelled.
    package func waitIgnoringCancellation() async {
        await withCheckedContinuation { continuation in
            let wasSent = state.withLock { state in
                guard !state.isSent else {
                    state.isSent = false
                    return true
                }
                state.waiter = continuation
                return false
            }
            if wasSent { continuation.resume() }
        }
    }
}
