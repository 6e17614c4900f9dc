/// Decides when a connection has to be closed because its client is too slow (pure).
package struct ConnectionClock: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private let limits: ConnectionLimits
    /// The time by which the head or the body must be complete; `nil` while neither is expected.
    private var request: Instant?
    /// The time by which the client must have read the sent bytes.
    private var reading: Instant?
    private var isBodyComplete = true
    /// The requests without a response: a client may send several at once (RFC 9112 §9.3.2).
    private var unanswered = 0

    /// `awaitsHead`: whether the client has to send the head of a request.
    package init(_ limits: ConnectionLimits, at now: Instant, awaitsHead: Bool = true) {
        self.limits = limits
        if awaitsHead { request = now.advanced(by: limits.head) }
    }

    package enum Event: Sendable {
        case headReceived, bodyEnded, responseEnded
        /// More of the response can be sent; or the client does not read fast enough, so that no
        /// more can be sent.
        case becameWritable, becameFull
    }

    package mutating func handle(_ event: Event, at now: Instant) {
        switch event {
        case .headReceived:
            isBodyComplete = false
            unanswered += 1
            request = now.advanced(by: limits.body)
        case .bodyEnded:
            isBodyComplete = true
            request = unanswered == 0 ? now.advanced(by: limits.idle) : nil
        case .responseEnded:
            unanswered = max(0, unanswered - 1)
            // The body must still end, even if the response did not wait for it.
            if isBodyComplete, unanswered == 0 { request = now.advanced(by: limits.idle) }
        case .becameWritable: reading = nil
        case .becameFull: reading = reading ?? now.advanced(by: limits.reading)
        }
    }

    /// The time at which the connection is closed if nothing happens.
    package var deadline: Instant? {
        guard let request, let reading else { return request ?? reading }
        return min(request, reading)
    }
}
