// What the governor looks at, over a time.
extension ConnectionGovernor {
    /// A measurement: from one arrival of bytes to another, as they may come in bursts.
    struct Window {
        let since: Moment
        let bytes: Int64
        /// The last arrival that was seen.
        var lastAt: Moment
        var lastBytes: Int64
        var arrivals = 0
        private let work: Duration
        private var lastWork: Duration

        init(_ reading: Reading, at now: Moment) {
            since = now
            lastAt = now
            bytes = reading.bytes
            lastBytes = reading.bytes
            work = reading.work
            lastWork = reading.work
        }

        mutating func observe(_ reading: Reading, at now: Moment) {
            guard reading.bytes > lastBytes else { return }
            lastBytes = reading.bytes
            lastAt = now
            lastWork = reading.work
            arrivals += 1
        }

        /// How much of the time the busiest of our threads worked.
        var load: Double {
            let seconds = (lastAt - since).seconds
            return seconds > 0 ? (lastWork - work).seconds / seconds : 0
        }

        var bytesPerSecond: Double {
            let seconds = (lastAt - since).seconds
            return seconds > 0 ? Double(lastBytes - bytes) / seconds : 0
        }
    }

    /// How a first connection gets faster from round trip to round trip (TCP's slow start).
    struct Growth {
        private var since: Moment
        private var bytes: Int64
        private var bytesPerSecond = 0.0

        init(_ reading: Reading, at now: Moment) {
            since = now
            bytes = reading.bytes
        }

        /// Whether it was a round trip long hardly faster than in the one before.
        mutating func isOver(_ reading: Reading, at now: Moment) -> Bool {
            let elapsed = now - since
            guard elapsed >= max(reading.latency, ConnectionGovernor.shortestWindow) else {
                return false
            }
            let latest = Double(reading.bytes - bytes) / elapsed.seconds
            defer { (since, bytes, bytesPerSecond) = (now, reading.bytes, latest) }
            return bytesPerSecond > 0 && latest < bytesPerSecond * ConnectionGovernor.slowStartGain
        }
    }
}
