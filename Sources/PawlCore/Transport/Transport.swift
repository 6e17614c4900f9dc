/// Transfers bytes: starts exchanges with servers and passes what is received to a sink.
package protocol Transport: Sendable {
    /// Starts one exchange and returns at once.
    ///
    /// Redirects are not followed: the sink receives the 3xx.
    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer

    /// The time that each of its threads has worked so far, without threads that have not started.
    var workTimes: [Duration] { get }
}

extension Transport {
    /// An empty list, because nothing is known of the threads.
    package var workTimes: [Duration] { [] }
}

/// A running exchange.
package protocol Transfer: AnyObject, Sendable {
    /// Ends the exchange at once.
    ///
    /// The sink receives `.cancelled`, unless it has received an end already.
    func cancel()

    /// Continues after the sink answered `.hold`, or before a pause has passed.
    ///
    /// It has no effect if the exchange was not paused.
    func resume()

    /// Makes the transport call the sink soon, on its thread, even if nothing is received.
    func nudge()
}

/// Receives the results of one exchange, on a thread of the transport, one call at a time.
///
/// The order is: at most one head, then parts of the body, then exactly one end. Before the end,
/// the number of sent bytes may be reported at any time. No call may block except for writing the
/// body itself.
package protocol TransferSink: AnyObject, Sendable {
    /// Judges the head before any byte of the body is passed on.
    ///
    /// A head with an empty body is passed, too.
    func transferReceived(_ head: ResponseHead) -> HeadDecision

    /// Reports the number of bytes of the request's own body that are sent.
    ///
    /// The last call may be omitted.
    func transferSent(_ count: Int64)

    /// Takes all of `bytes`, which are not valid after the call.
    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision

    /// Called after `Transfer.nudge()`, between a head and the end.
    func transferNudged() -> BodyDecision

    func transferEnded(_ end: TransferEnd)
}

extension TransferSink {
    package func transferSent(_ count: Int64) {}

    package func transferNudged() -> BodyDecision { .more }
}

package enum HeadDecision: Sendable {
    /// Pass the body.
    case take
    /// Pass the body after `Transfer.resume()`.
    case hold
    /// End the exchange (`.stopped`) without the body.
    case refuse
}

package enum BodyDecision: Sendable {
    case more
    /// The bytes were taken.
    ///
    /// Pass no more for this time (a rate limit).
    case pause(Duration)
    /// The bytes were taken.
    ///
    /// Pass no more until `Transfer.resume()`.
    case hold
    /// The bytes were taken as far as they are wanted.
    ///
    /// End the exchange (`.stopped`).
    case stop
}
