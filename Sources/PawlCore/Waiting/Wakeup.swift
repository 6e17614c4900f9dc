internal import Synchronization

/// Wakes tasks that wait until there is something to do.
///
/// A wake-up that is sent while no task waits is kept and ends the next wait. If several tasks wait,
/// it wakes all of them.
package final class Wakeup: Sendable {
    private struct State {
        var isSent = false
        var waiter: CheckedContinuation<Void, Never>?
        /// Those that wait besides the first; usually there are none, and no array is allocated.
        var others: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func send() {
        let (waiter, others) = state.withLock { state in
            defer { (state.waiter, state.others) = (nil, []) }
            state.isSent = state.waiter == nil
            return (state.waiter, state.others)
        }
        waiter?.resume()
        for other in others { other.resume() }
    }

    /// Waits for a wake-up or the cancellation of the task.
    package func wait() async {
        await withTaskCancellationHandler {
            await wait(isCancellable: true)
        } onCancel: {
            send()
        }
    }

    /// Waits for a wake-up, even if the task is cancelled.
    package func waitIgnoringCancellation() async { await wait(isCancellable: false) }

    private func wait(isCancellable: Bool) async {
        await withCheckedContinuation { continuation in
            let wasSent = state.withLock { state in
                // The wake-up of the cancellation may have reached other tasks only.
                if isCancellable, Task.isCancelled { return true }
                guard !state.isSent else {
                    state.isSent = false
                    return true
                }
                if state.waiter == nil {
                    state.waiter = continuation
                } else {
                    state.others.append(continuation)
                }
                return false
            }
            if wasSent { continuation.resume() }
        }
    }
}
