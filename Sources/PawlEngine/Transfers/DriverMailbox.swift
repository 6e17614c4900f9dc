internal import PawlCore
internal import Synchronization

/// The messages of one download for its driver.
///
/// While the download is in the lane for small files, the lane gets them first.
final class DriverMailbox: Sendable {
    /// Takes a message; returns `false` if it is for the driver.
    typealias Receiver = @Sendable (DriverMessage) -> Bool

    private let messages = Mailbox<DriverMessage>()
    private let receiver = Mutex<Receiver?>(nil)

    /// Passes messages to `receiver` first; `nil` passes them to the driver alone.
    func setReceiver(_ receiver: Receiver?) { self.receiver.withLock { $0 = receiver } }

    /// Posts a message, from any thread.
    func post(_ message: DriverMessage) {
        let receiver = receiver.withLock { $0 }
        if receiver?(message) != true { messages.post(message) }
    }

    /// Posts messages for the driver, without asking the receiver.
    func postToDriver(_ messages: [DriverMessage]) {
        for message in messages { self.messages.post(message) }
    }

    /// Removes and returns the driver's messages, in the order in which they were posted.
    func take() -> [DriverMessage] { messages.take() }

    /// Ends the driver's wait without a message.
    func wake() { messages.wake() }

    /// Waits for a message for the driver or a call of `wake()`, even if the task is cancelled.
    func waitIgnoringCancellation() async { await messages.waitIgnoringCancellation() }
}
