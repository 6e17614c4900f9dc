/// The calls for an exchange that is just being started, for as long as its `Transfer` is not known.
package struct TransferCalls: Sendable {
    package var resume = false
    package var nudge = false
    package var cancel = false

    package init() {}

    /// Makes the calls.
    package func make(to transfer: any Transfer) {
        if resume { transfer.resume() }
        if nudge { transfer.nudge() }
        if cancel { transfer.cancel() }
    }
}
