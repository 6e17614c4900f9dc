internal import PawlCore
internal import Synchronization

/// Where the network's threads leave word for one waiting driver.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func post(_ message: Message) {
        let waiter = state.withLock { state in
            state.messages.append(message)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// All messages so far, in order.
    func take() -> [Message] {
        state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Returns when there is a message, even where the task was cancelled.
    ///
    /// One waiter at a time.
    func wait() async { await wait(endsWhenCancelled: false) }

    private func wait(endsWhenCancelled: Bool) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                // Cancelled before the waiter is there: the handler below found nobody to wake.
                if endsWhenCancelled, Task.isCancelled { return true }
                guard state.messages.isEmpty else { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Returns when there is a message, or at `moment`, whichever is first.
    func wait(until moment: Moment, _ time: any Timekeeper) async {
        guard state.withLock({ $0.messages.isEmpty }) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitOrCancel() }
            group.addTask {
                // A cancelled sleep only means that a message was first.
                try? await time.sleep(until: moment)
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitOrCancel() async {
        await withTaskCancellationHandler {
            await wait(endsWhenCancelled: true)
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
