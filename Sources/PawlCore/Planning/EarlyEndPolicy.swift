/// Decides how long a source waits for its next connection if its responses end early.
///
/// The rest of such a response is requested at once: some servers end every response after a
/// number of bytes or seconds, and that is not a failure. But a server whose responses end after a
/// few bytes would receive thousands of requests per second. After several ends with few bytes
/// between them, the time between two connections grows exponentially, with full jitter.
struct EarlyEndPolicy: Sendable {
    /// The number of bytes received since the last end that counted.
    private var received: Int64 = 0
    /// The number of ends since then.
    private var ends: Int64 = 0
    /// The number of consecutive ends that counted, with few bytes before each of them.
    private var failures = 0
    /// The time of the last end that counted.
    private var countedAt: Moment?
    private var random: SplitMix64

    /// The number of bytes per response from which a connection is worth its cost: a server sends
    /// about that many before the first acknowledgement (RFC 6928).
    static let enoughBytes: Int64 = 16 << 10
    /// The number of consecutive ends after which the next connection does not wait.
    static let freeEnds = 8
    /// The upper bound of the first random time between two connections; it doubles with each end.
    static let firstInterval: Duration = .milliseconds(100)
    static let longestInterval: Duration = .seconds(5)

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func received(_ count: Int64) { received &+= count }

    /// Notes that a response ended early whose connection was requested at `openedAt`; returns
    /// the moment of the next connection, or `nil` if it need not wait.
    mutating func endedEarly(openedAt: Moment, at now: Moment) -> Moment? {
        ends += 1
        // Connections that were open at the same time end because of one event.
        if let countedAt, openedAt < countedAt { return nil }
        failures = received / ends < Self.enoughBytes ? failures + 1 : 0
        (received, ends, countedAt) = (0, 0, now)
        guard failures > Self.freeEnds else { return nil }
        let exponent = Int64(min(failures - Self.freeEnds - 1, 16))
        let ceiling = min(
            Self.firstInterval.nanoseconds << exponent,
            Self.longestInterval.nanoseconds
        )
        let interval = Duration.nanoseconds(Int64.random(in: 0...ceiling, using: &random))
        let moment = openedAt + interval
        return moment > now ? moment : nil
    }
}
