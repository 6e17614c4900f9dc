internal import Synchronization

/// Messages from any thread for one task that waits for them.
package final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let wakeup = Wakeup()

    package init() {}

    package func post(_ message: Message) {
        let isFirst = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        if isFirst { wakeup.send() }
    }

    /// Removes and returns all messages, in the order in which they were posted.
    package func take() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }

    /// Ends the wait without a message.
    package func wake() { wakeup.send() }

    /// Waits for a message, a call of `wake()` or the cancellation of the task.
    ///
    /// Take the messages before you wait again. The wait may also end without a message.
    package func wait() async { await wakeup.wait() }

    /// Waits for a message or a call of `wake()`, even if the task is cancelled.
    ///
    /// Take the messages before you wait again. The wait may also end without a message.
    package func waitIgnoringCancellation() async { await wakeup.waitIgnoringCancellation() }
}
