/// What the governor measures.
extension ConnectionGovernor {
    /// The state of all connections at a tick.
    package struct Reading: Sendable {
        /// All bytes received so far.
        package var bytes: Int64
        /// The number of connections that have received a byte.
        package var flowing: Int
        /// The bytes still to be received; `nil` if their number is not known.
        package var remaining: Int64?
        /// The time from opening a connection to its first byte.
        package var latency: Duration
        /// The CPU time so far of the busiest thread that moves bytes.
        package var work: Duration
        /// The time for which no connection has received a byte, although all could.
        package var silence = Duration.zero
        /// The number of sources that send bytes: with fewer connections one would be left out.
        package var sources = 1
        /// The number of connections that the servers allow.
        package var allowed = Int.max
        /// Whether `allowed` contains a connection more than the limit of an earlier download, which
        /// is to be tested.
        package var testsLimit = false
        /// Whether connecting took so much longer for the newest connection than for the quickest
        /// that the queue of the link must be full: the present connections use all of the link.
        package var isQueueFull = false
        /// The number of connections that are open or being opened; `nil` if all wanted ones are.
        package var open: Int?

        /// Whether each trial takes long.
        var isLong: Bool { latency >= ConnectionGovernor.longLatency }

        package init(
            bytes: Int64,
            flowing: Int,
            remaining: Int64?,
            latency: Duration,
            work: Duration = .zero
        ) {
            self.bytes = bytes
            self.flowing = flowing
            self.remaining = remaining
            self.latency = latency
            self.work = work
        }
    }

    /// A measurement from one arrival of bytes to another, because bytes may arrive in bursts.
    struct Window {
        let since: Moment
        let bytes: Int64
        /// The time of the last arrival.
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

        /// The share of the time in which the busiest thread worked.
        var load: Double {
            let seconds = (lastAt - since).seconds
            return seconds > 0 ? (lastWork - work).seconds / seconds : 0
        }

        /// The time from the first arrival to the last.
        var duration: Duration { lastAt - since }

        var bytesPerSecond: Double {
            let seconds = (lastAt - since).seconds
            return seconds > 0 ? Double(lastBytes - bytes) / seconds : 0
        }
    }

    /// The growth of the first connection's speed per round trip (TCP's slow start).
    struct Growth {
        private let began: (at: Moment, bytes: Int64)
        private var since: Moment
        private var bytes: Int64
        private var work: Duration
        /// The speeds in the last three round trips, the newest first.
        private var speeds: [Double] = []
        /// The recent speed: while the bytes behind a lost packet wait, the newest is too low.
        var recent: Double { speeds.max() ?? 0 }
        /// The mean speed of the last two round trips: the first bytes of a server that limits a
        /// connection may be faster.
        var present: Double {
            let last = speeds.prefix(2)
            return last.isEmpty ? 0 : last.reduce(0, +) / Double(last.count)
        }
        /// Whether a round trip had more bytes than the one before.
        private(set) var hasGrown = false
        /// The share of the last round trip in which the busiest thread worked.
        private(set) var load = 0.0

        init(_ reading: Reading, at now: Moment) {
            began = (now, reading.bytes)
            since = now
            bytes = reading.bytes
            work = reading.work
        }

        /// The speed since the beginning, with all pauses; `nil` before the first bytes.
        func mean(_ reading: Reading, at now: Moment) -> Double? {
            let elapsed = now - began.at
            guard elapsed > .zero, reading.bytes > began.bytes else { return nil }
            return Double(reading.bytes - began.bytes) / elapsed.seconds
        }

        /// Returns whether the speed of the last round trip was hardly higher than that of the one
        /// before.
        mutating func isOver(_ reading: Reading, at now: Moment) -> Bool {
            let elapsed = now - since
            // It may be about to pause.
            guard reading.silence == .zero || reading.isLong,
                elapsed >= max(reading.latency, ConnectionGovernor.shortestRound)
            else { return false }
            let latest = Double(reading.bytes - bytes) / elapsed.seconds
            load = (reading.work - work).seconds / elapsed.seconds
            defer {
                (since, bytes, work) = (now, reading.bytes, reading.work)
                speeds = [latest] + speeds.prefix(2)
            }
            guard let previous = speeds.first, previous > 0 else { return false }
            let grows = latest >= previous * ConnectionGovernor.slowStartGain
            hasGrown = hasGrown || grows
            return !grows
        }
    }
}
