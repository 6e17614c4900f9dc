/// Says until when a connection may do what it does (pure).
package struct ConnectionClock: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private let limits: ConnectionLimits
    /// Until when a head or a body must have come; nil while nothing is owed.
    private var request: Instant?
    /// Until when what was sent must have been read.
    private var reading: Instant?
    private var isBodyThere = true
    /// A client may ask the next thing before it has its answer (RFC 9112 §9.3.2).
    private var unanswered = 0

    package init(_ limits: ConnectionLimits, at now: Instant) {
        self.limits = limits
        request = now.advanced(by: limits.head)
    }

    package enum Event: Sendable {
        case headCame, bodyEnded, answerEnded
        /// What was sent is being read, or is not.
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
            // A body that nobody wanted must still come to its end.
            if isBodyThere, unanswered == 0 { request = now.advanced(by: limits.idle) }
        case .becameWritable: reading = nil
        case .becameFull: reading = reading ?? now.advanced(by: limits.reading)
        }
    }

    /// When the connection ends if nothing happens.
    package var deadline: Instant? {
        guard let request, let reading else { return request ?? reading }
        return min(request, reading)
    }
}
