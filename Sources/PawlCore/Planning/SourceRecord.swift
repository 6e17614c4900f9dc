/// What a source has shown of its speed, to choose among several.
struct SourceRecord: Sendable {
    /// What all its connections bring together; it forgets sooner than a connection's own.
    private var rate = RateEstimator(timeConstant: Self.attention)
    private var bytes: Int64 = 0
    /// What it brought when it last had connections, in bytes a second.
    private var lastSpeed: Double?
    private var measuredAt = Moment.zero
    /// How often it was left because it did not answer in time.
    private(set) var impatience = 0

    private static let attention: Duration = .milliseconds(700)
    /// What was slow once may be tried again after this.
    static let memory: Duration = .seconds(30)
    /// How long a first answer is waited for where another source could serve.
    static let firstPatience: Duration = .seconds(3)
    /// The shortest time that a connection took to be made, by host: a redirect may lead elsewhere.
    private var quickest: [String: Duration] = [:]
    /// How much longer a connection takes where a queue is full, which holds a round trip's bytes or
    /// more.
    private static let queueing = 1.25
    private static let leastQueue: Duration = .milliseconds(20)
    /// A connection whose first packet was lost is asked for again after a second (RFC 6298 §2.1).
    private static let lostPacket: Duration = .milliseconds(900)

    mutating func connected(to host: String, in time: Duration) {
        quickest[host] = min(quickest[host] ?? time, time)
    }

    /// Whether a connection that took so long to be made has waited in a full queue.
    func hasQueued(_ time: Duration, to host: String) -> Bool {
        guard let least = quickest[host], time - least < Self.lostPacket else { return false }
        return time >= least * Self.queueing + Self.leastQueue
    }

    mutating func came(_ count: Int64) { bytes += count }

    /// Called at each tick while it has connections.
    mutating func pass(_ now: Moment) {
        rate.record(totalBytes: bytes, at: now)
        guard bytes > 0 else { return }
        lastSpeed = rate.bytesPerSecond(at: now)
        measuredAt = now
    }

    /// The time up to now does not count: the caller had the download suspended.
    mutating func skip(to now: Moment) {
        rate.skip(totalBytes: bytes, to: now)
        if lastSpeed != nil { measuredAt = now }
    }

    /// Bytes a second of all its connections, or what they brought when there were any; nil where
    /// that is not known, or not any more.
    func speed(at now: Moment) -> Double? {
        now - measuredAt < Self.memory ? lastSpeed : nil
    }

    /// Its last connection has ended.
    mutating func rest() {
        rate = RateEstimator(timeConstant: Self.attention)
        bytes = 0
    }

    /// How long to wait for its answer where another source could serve.
    func patience(atMost most: Duration) -> Duration {
        min(most, Self.firstPatience * (1 << min(impatience, 8)))
    }

    mutating func lostPatience() { impatience += 1 }
}
