/// Decides how long a connection may continue (pure).
package struct ConnectionClock: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private let limits: ConnectionLimits
    /// The time by which a head or a body must have arrived; `nil` while none is expected.
    private var request: Instant?
    /// The time by which the client must have read what was sent.
    private var reading: Instant?
    private var isBodyThere = true
    /// The number of unanswered requests: a client may send the next one before it has its answer
    /// (RFC 9112 §9.3.2).
    private var unanswered = 0

    package init(_ limits: ConnectionLimits, at now: Instant) {
        self.limits = limits
        request = now.advanced(by: limits.head)
    }

    package enum Event: Sendable {
        case headCame, bodyEnded, answerEnded
        /// The client reads what was sent, or does not.
        case becameWritable, becameFull
    }

    package mutating func handle(_ event: Event, at now: Instant) {
        switch event {
        case .headCame:
            isBodyThere = false
            unanswered += 1
            request = now.advanced(by: limits.body)
        case .bodyEnded:
            isBodyThere = true
            request = unanswered == 0 ? now.advanced(by: limits.idle) : nil
        case .answerEnded:
            unanswered = max(0, unanswered - 1)
            // A body that is not needed must still arrive completely.
            if isBodyThere, unanswered == 0 { request = now.advanced(by: limits.idle) }
        case .becameWritable: reading = nil
        case .becameFull: reading = reading ?? now.advanced(by: limits.reading)
        }
    }

    /// The time when the connection ends if nothing happens.
    package var deadline: Instant? {
        guard let request, let reading else { return request ?? reading }
        return min(request, reading)
    }
}
