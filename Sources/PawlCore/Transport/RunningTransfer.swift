/// The running exchange of a transfer that consists of several, one after another.
///
/// Calls for an exchange that is just starting are made as soon as its `Transfer` is known.
package struct RunningTransfer: Sendable {
    /// `nil` until it is known.
    private var transfer: (any Transfer)?
    private var calls = TransferCalls()
    package private(set) var isCancelled = false

    package init() {}

    /// Notes the exchange that was started, and returns the calls to make to it.
    package mutating func begin(_ transfer: any Transfer) -> TransferCalls {
        defer { calls = TransferCalls() }
        self.transfer = transfer
        calls.cancel = isCancelled
        return calls
    }

    /// Notes that the exchange has ended, and that another one follows.
    package mutating func end() { transfer = nil }

    /// Notes that no exchange may continue, and returns the running one to cancel.
    package mutating func cancel() -> (any Transfer)? {
        isCancelled = true
        return transfer
    }

    /// Returns the exchange to make the call to, or notes the call for one that is just starting.
    package mutating func resume() -> (any Transfer)? {
        if transfer == nil { calls.resume = true }
        return transfer
    }

    /// Returns the exchange to make the call to, or notes the call for one that is just starting.
    package mutating func nudge() -> (any Transfer)? {
        if transfer == nil { calls.nudge = true }
        return transfer
    }
}
