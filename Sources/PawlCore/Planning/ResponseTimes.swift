/// How long the sources of a download take to respond, over new connections and over open ones, and
/// which of their connections are open and free.
package struct ResponseTimes: Sendable {
    /// The smoothed time from opening a connection to its first byte.
    private(set) var latency: Duration = .zero
    /// The smoothed time from opening a connection to its first head.
    ///
    /// It contains no wait for a tick, and no creation of a file, as the latency may.
    private var openingTime: Duration?
    /// The smoothed time from a request on an open connection to the head of its response.
    private var answerTime: Duration?
    /// The number of connections to each source that have received what they requested.
    private var free: [Int: Int] = [:]
    /// The sources that close a connection after a response.
    private var closing: Set<Int> = []

    package init() {}

    /// Returns whether a connection to a source is open and free.
    func hasFreeConnection(to source: Int) -> Bool { free[source, default: 0] > 0 }

    /// Returns whether a source closes a connection after a response.
    func isClosing(_ source: Int) -> Bool { closing.contains(source) }

    /// Returns the expected time until a source sends the head of what is requested now.
    package func delay(of source: Int) -> Duration {
        let opening = openingTime ?? latency
        return hasFreeConnection(to: source) ? min(opening, answerTime ?? opening) : opening
    }

    /// Notes that a request is sent, over a free connection if there is one.
    mutating func requested(_ segment: inout Segment) {
        guard hasFreeConnection(to: segment.source) else { return }
        free[segment.source, default: 0] -= 1
        segment.expectsFreeConnection = true
    }

    /// Notes the head of a response; `connectTime` is `nil` if its connection was reused.
    mutating func answered(_ segment: Segment, connectTime: Duration?) {
        if connectTime == nil {
            closing.remove(segment.source)
        } else if segment.expectsFreeConnection {
            closing.insert(segment.source)
            free[segment.source] = nil
        }
    }

    /// Notes the time until the first byte of a response, and until its head.
    package mutating func received(_ segment: Segment, after time: Duration, untilHead: Duration) {
        latency = latency == .zero ? time : Self.smoothed(latency, time)
        if let connectTime = segment.connectTime {
            openingTime = Self.smoothed(openingTime, untilHead)
            answerTime = answerTime ?? max(.zero, untilHead - connectTime)
        } else {
            answerTime = Self.smoothed(answerTime, untilHead)
        }
    }

    private static func smoothed(_ known: Duration?, _ time: Duration) -> Duration {
        known.map { ($0 * 3 + time) / 4 } ?? time
    }

    /// Notes that a response has ended, after which its connection is usually open.
    package mutating func responseEnded(from source: Int) { free[source, default: 0] += 1 }
}
