/// The record of a source's speed, to choose among several sources.
struct SourceRecord: Sendable {
    /// The smoothed speed of all its connections together, over less time than that of one
    /// connection.
    private var rate = RateEstimator(timeConstant: Self.attention)
    /// The bytes that the source has sent so far.
    private var bytes: Int64 = 0
    private var connections = 0
    /// The speed in bytes per second when the source last had connections.
    private var lastSpeed: Double?
    private var measuredAt = Moment.zero
    /// The number of times that the source did not respond in time.
    private(set) var timeouts = 0

    private static let attention: Duration = .milliseconds(700)
    /// The time after which a slow source may be tried again.
    static let memory: Duration = .seconds(30)
    /// The time to wait for a first response if another source could serve.
    static let firstTimeout: Duration = .seconds(3)
    /// The shortest time that connecting took, by host, because a redirect may lead to another one.
    private var quickest: [String: Duration] = [:]
    /// The factor by which connecting takes longer if a queue is full, which holds at least the
    /// bytes of a round trip.
    private static let queueing = 1.25
    private static let leastQueue: Duration = .milliseconds(20)
    /// The connect time that indicates a lost packet: the first one is sent again after a second
    /// (RFC 6298 §2.1).
    private static let lostPacket: Duration = .milliseconds(900)

    /// The shortest time that connecting took to any host; `nil` if it is not known.
    var quickestConnection: Duration? { quickest.values.min() }

    mutating func connected(to host: String, in time: Duration) {
        quickest[host] = min(quickest[host] ?? time, time)
    }

    /// Returns whether the connect time shows that the connection has waited in a full queue.
    func hasQueued(_ time: Duration, to host: String) -> Bool {
        guard let least = quickest[host], time - least < Self.lostPacket else { return false }
        return time >= least * Self.queueing + Self.leastQueue
    }

    mutating func received(_ count: Int64) { bytes += count }

    /// Notes that a connection is opened.
    mutating func opened(at now: Moment) {
        // The time without connections does not count.
        if connections == 0, bytes > 0 { rate.skip(totalBytes: bytes, to: now) }
        connections += 1
    }

    /// Notes that a connection has ended, after its last bytes have been received.
    mutating func closed(at now: Moment) {
        connections -= 1
        if connections == 0 { pass(now) }
    }

    /// Handles a tick during which the source has connections.
    mutating func pass(_ now: Moment) {
        rate.record(totalBytes: bytes, at: now)
        guard bytes > 0, rate.isKnown else { return }
        lastSpeed = rate.bytesPerSecond(at: now)
        measuredAt = now
    }

    /// Notes that a connection is replaced as slow.
    ///
    /// A source that has sent nothing counts as measured, so that it is not tried again at once.
    mutating func replaced(at now: Moment) {
        guard bytes == 0 else { return }
        (lastSpeed, measuredAt) = (0, now)
    }

    /// Ignores the time up to now, because the download was suspended.
    mutating func skip(to now: Moment) {
        rate.skip(totalBytes: bytes, to: now)
        if lastSpeed != nil { measuredAt = now }
    }

    /// Returns the bytes per second of all its connections, or of the last ones that it had; `nil`
    /// if that is not known, or no longer.
    func speed(at now: Moment) -> Double? {
        now - measuredAt < Self.memory ? lastSpeed : nil
    }

    /// Returns how long to wait for its response if another source could serve.
    func timeout(atMost most: Duration) -> Duration {
        min(most, Self.firstTimeout * (1 << min(timeouts, 8)))
    }

    mutating func timedOut() { timeouts += 1 }
}
