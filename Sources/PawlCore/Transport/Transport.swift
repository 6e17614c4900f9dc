/// What moves bytes: starts exchanges with servers and feeds each one's sink.
package protocol Transport: Sendable {
    /// Starts one exchange and returns at once. Redirects are not followed: the sink sees the 3xx.
    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer

    /// How long each of its threads has worked so far; those that have not begun are left out.
    var workTimes: [Duration] { get }
}

extension Transport {
    /// Nothing is known of them.
    package var workTimes: [Duration] { [] }
}

/// A running exchange.
package protocol Transfer: AnyObject, Sendable {
    /// Ends the exchange at once; the sink hears `.cancelled` unless it has heard of the end.
    func cancel()

    /// Goes on after the sink answered `.hold`, or before a pause has passed. Nothing happens where it
    /// did not stand still.
    func resume()

    /// Has the sink called soon, on the transport's thread, though nothing may come.
    func nudge()
}

/// Takes what one exchange brings, on a thread of the transport's own, one call at a time.
///
/// The order is: at most one head, then bodies, then exactly one end; before it, at any time, what
/// was sent. No call may block but for the write of the body itself.
package protocol TransferSink: AnyObject, Sendable {
    /// Judges the head before a byte of the body is shown. A head whose body is empty is shown too.
    func transferReceived(_ head: ResponseHead) -> HeadAnswer

    /// So many bytes of the request's own body are on their way; the last call may be left out.
    func transferSent(_ count: Int64)

    /// Takes all of `bytes`, which are gone after the call.
    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer

    /// After `Transfer.nudge()`, between a head and the end.
    func transferNudged() -> BodyAnswer

    func transferEnded(_ end: TransferEnd)
}

extension TransferSink {
    package func transferSent(_ count: Int64) {}

    package func transferNudged() -> BodyAnswer { .more }
}

package enum HeadAnswer: Sendable {
    /// Show the body.
    case take
    /// Show the body after `Transfer.resume()`.
    case hold
    /// End the exchange (`.stopped`): nothing of the body is wanted.
    case refuse
}

package enum BodyAnswer: Sendable {
    case more
    /// The bytes were taken; show no more for so long (a rate limit).
    case pause(Duration)
    /// The bytes were taken; show no more until `Transfer.resume()`.
    case hold
    /// The bytes were taken, as far as they were wanted; end the exchange (`.stopped`).
    case stop
}
