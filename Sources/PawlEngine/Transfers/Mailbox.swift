internal import PawlCore
internal import Synchronization

/// Where other threads leave word for one that waits.
package final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var isNudged = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func post(_ message: Message) {
        let waiter = state.withLock { state in
            state.messages.append(message)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// All messages so far, in order.
    package func take() -> [Message] {
        state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Lets the waiter look again, though there is no message for it.
    package func nudge() {
        let waiter = state.withLock { state in
            state.isNudged = state.waiter == nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns when there is a message or a nudge, even where the task was cancelled.
    ///
    /// One waiter at a time.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.messages.isEmpty, !state.isNudged else {
                    state.isNudged = false
                    return true
                }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}
