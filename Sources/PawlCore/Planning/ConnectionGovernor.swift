/// How many connections a download should have: more while they pay.
///
/// Each trial doubles the number. It is kept where total speed rose by a twentieth, else rolled
/// back and left alone for a while, twice as long each time. As a link that is still filling makes
/// any number look good, half as many are tried afterwards, and kept where they are as fast. Where
/// answers take long, the first trial is of several at once; for much that is to come it waits
/// until the first connection has become as fast as it gets. Where a thread of ours is what is
/// busy, or the link's queue is full, more connections are not tried.
package struct ConnectionGovernor: Sendable {
    package private(set) var target = 1
    private let most: Int
    /// As many as the servers allow, at most `most`.
    private var ceiling: Int
    private let isFixed: Bool
    private var phase = Phase.settling(since: nil)
    private var before: (target: Int, bytesPerSecond: Double)?
    private var rest = Self.firstRest
    /// Whether fewer connections are tried at present.
    private var isShrinking = false
    /// Whether a number was kept, and half of it not tried since.
    private var isUnproven = false
    /// Whether a second connection is there to see how long it takes to be made.
    private var isProbing = false

    private enum Phase {
        /// Waiting until all connections bring bytes.
        case settling(since: Moment?)
        /// Waiting until the first connection does not get faster any more.
        case growing(Growth)
        case measuring(Window)
        case resting(until: Moment)
    }

    package static let automaticCeiling = 16
    package static let neededGain = 1.05
    /// From so much work of one thread on, the machine is the limit, or soon will be.
    package static let fullLoad = 0.6
    static let firstRest: Duration = .seconds(5)
    static let longestRest: Duration = .seconds(120)
    static let shortestWindow: Duration = .milliseconds(100)
    /// How long to look where a twentieth must be told from chance.
    static let carefulWindow: Duration = .milliseconds(500)
    static let clearGain = 1.5
    /// From so long a latency on, the first trial is of `firstLeap` connections.
    static let longLatency: Duration = .milliseconds(100)
    static let fewestLeapt = 8
    static let mostLeapt = 12
    /// Less than this for each connection is not worth a leap.
    static let leapBytes: Int64 = 1 << 20
    /// With no more to come, a leap is at once: to wait for one connection would take too much of
    /// the time.
    static let hurriedBytes: Int64 = 32 << 20
    /// What slow start doubles in a round trip may come as much less.
    static let slowStartGain = 1.25
    /// With less to go than this, it does not matter whether fewer would do.
    static let worthShrinking: Duration = .seconds(1)
    static let longestWindow: Duration = .seconds(2)
    static let fewestArrivals = 3
    /// With less to go than this at the present speed, another connection is not worth its making.
    static let worthwhile: Duration = .milliseconds(500)

    package init(_ count: ConnectionCount) {
        switch count {
        case .automatic:
            most = Self.automaticCeiling
            isFixed = false
        case .fixed(let number):
            most = max(1, number)
            isFixed = true
            target = most
        }
        ceiling = most
    }

    /// Whether the next decision hangs on a measurement that is under way.
    package var isMeasuring: Bool {
        if isFixed { return false }
        if case .resting = phase { return false }
        return true
    }

    /// What a tick sees of all connections.
    package struct Reading: Sendable {
        /// All bytes received so far.
        package var bytes: Int64
        /// Connections that brought a byte already.
        package var flowing: Int
        /// Bytes still to come, nil where that is not known.
        package var remaining: Int64?
        /// What a new connection takes to its first byte.
        package var latency: Duration
        /// What the busiest of the threads that move bytes has worked, added up.
        package var work: Duration
        /// Sources that bring bytes: fewer connections than these would leave one out.
        package var sources = 1
        /// As many connections as the servers allow.
        package var allowed = Int.max
        /// Whether the newest connection took so much longer to be made than the quickest that the
        /// link's queue must be full: who fills it has all of the link.
        package var isQueueFull = false

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

    package mutating func tick(_ reading: Reading, at now: Moment) {
        ceiling = max(1, min(most, reading.allowed))
        guard !isFixed else { return target = ceiling }
        switch phase {
        case .settling(let since): settle(since: since, reading, now)
        case .growing(var growth):
            let isOver = growth.isOver(reading, at: now)
            phase = .growing(growth)
            if isOver { probe(now) }
        case .measuring(var window):
            guard reading.flowing >= target else {
                phase = .settling(since: now)
                return
            }
            window.observe(reading, at: now)
            phase = .measuring(window)
            guard isEnough(window, reading.latency, now) else { return }
            decide(speed: window.bytesPerSecond, load: window.load, reading, now)
        case .resting(let until):
            guard now >= until else { return }
            before = nil
            isShrinking = false
            phase = .measuring(Window(reading, at: now))
        }
    }

    /// Takes in that the servers refused connections above this number.
    package mutating func wasLimited(to allowed: Int, at now: Moment) {
        ceiling = max(1, min(most, allowed))
        guard !isFixed else { return target = ceiling }
        guard target > ceiling else { return }
        target = ceiling
        before = nil
        isShrinking = false
        isProbing = false
        takeRest(now)
    }

    /// Nothing was to come up to now: what was being measured is measured anew.
    package mutating func interrupted(at now: Moment) {
        if case .resting = phase { return }
        phase = .settling(since: now)
    }

    private func isEnough(_ window: Window, _ latency: Duration, _ now: Moment) -> Bool {
        let needed = isClear(window) ? Self.shortestWindow : Self.carefulWindow
        let shortest = min(Self.longestWindow, max(needed, latency * 4))
        if window.arrivals >= Self.fewestArrivals {
            return window.lastAt - window.since >= shortest
        }
        return now - window.since >= Self.longestWindow
    }

    /// Whether a short look tells: nothing to compare with yet, or a gain that no chance makes.
    private func isClear(_ window: Window) -> Bool {
        guard !isShrinking else { return false }
        guard let before else { return true }
        return window.bytesPerSecond >= before.bytesPerSecond * Self.clearGain
    }

    private mutating func settle(since: Moment?, _ reading: Reading, _ now: Moment) {
        if mayLeap(reading) {
            let isHurried = reading.remaining.map { $0 <= Self.hurriedBytes } ?? true
            guard isHurried else { return phase = .growing(Growth(reading, at: now)) }
            leap(reading, now)
        } else if reading.flowing >= target {
            if isProbing || isTrial, reading.isQueueFull { return takeBack(reading, now) }
            if isProbing { return leap(reading, now) }
            // What the closed ones had under way fills the link for a while.
            let grace = isShrinking ? max(Self.shortestWindow, reading.latency * 2) : .zero
            guard now - (since ?? now) >= grace else { return }
            phase = .measuring(Window(reading, at: now))
        } else if let since {
            // In an outage nothing is learned: what was needed before is opened again after it.
            guard reading.flowing > 0 else { return phase = .settling(since: now) }
            // Connections that are not to be had (a host budget, no segment left to give) end the
            // trial: what is there is what there can be.
            guard now - since > Self.longestWindow * 2 else { return }
            target = max(1, reading.flowing)
            before = nil
            isProbing = false
            takeRest(now)
        } else {
            phase = .settling(since: now)
        }
    }

    /// Whether more connections than before are being tried.
    private var isTrial: Bool { before.map { target > $0.target } ?? false }

    /// The first byte came late: each doubling would, too.
    private func mayLeap(_ reading: Reading) -> Bool {
        guard target == 1, ceiling > 1, before == nil, !isUnproven, !isShrinking,
            reading.flowing > 0, reading.latency >= Self.longLatency,
            let remaining = reading.remaining
        else { return false }
        return remaining >= Int64(Self.fewestLeapt) * Self.leapBytes
    }

    private mutating func leap(_ reading: Reading, _ now: Moment) {
        let worthwhile = (reading.remaining ?? 0) / Self.leapBytes
        target = min(ceiling, Int(min(worthwhile, Int64(Self.mostLeapt))))
        isProbing = false
        isUnproven = true
        phase = .settling(since: now)
    }

    private mutating func probe(_ now: Moment) {
        target = min(2, ceiling)
        isProbing = true
        phase = .settling(since: now)
    }

    /// More connections cannot make a link faster that is full.
    private mutating func takeBack(_ reading: Reading, _ now: Moment) {
        target = before?.target ?? 1
        before = nil
        isProbing = false
        beginShrinking(reading, now)
    }

    private mutating func decide(speed: Double, load: Double, _ reading: Reading, _ now: Moment) {
        if isShrinking { return shrink(speed: speed, reading, now) }
        if let before, target > before.target, speed < before.bytesPerSecond * Self.neededGain {
            target = before.target
            self.before = nil
            return beginShrinking(reading, now)
        }
        // After a leap nothing is known yet of fewer; only then of more.
        guard before != nil || !isUnproven else { return beginShrinking(reading, now) }
        isUnproven = isUnproven || before != nil
        guard target < ceiling, speed > 0, load < Self.fullLoad,
            isWorthwhile(speed, reading)
        else {
            self.before = nil
            return beginShrinking(reading, now)
        }
        before = (target, speed)
        target = min(target * 2, ceiling)
        phase = .settling(since: now)
    }

    private mutating func beginShrinking(_ reading: Reading, _ now: Moment) {
        guard isUnproven, target > reading.sources else { return takeRest(now) }
        isShrinking = true
        phase = .settling(since: now)
    }

    /// Half as many, as long as they are as fast.
    private mutating func shrink(speed: Double, _ reading: Reading, _ now: Moment) {
        if let before, speed * Self.neededGain < before.bytesPerSecond {
            target = before.target
            return endShrinking(now)
        }
        let left = reading.remaining.map { Double($0) / max(speed, 1) } ?? 0
        guard target > reading.sources, left > Self.worthShrinking.seconds else {
            return endShrinking(now)
        }
        before = (target, max(speed, before?.bytesPerSecond ?? 0))
        target = max(reading.sources, target / 2)
        phase = .settling(since: now)
    }

    private mutating func endShrinking(_ now: Moment) {
        before = nil
        isUnproven = false
        isShrinking = false
        takeRest(now)
    }

    private func isWorthwhile(_ speed: Double, _ reading: Reading) -> Bool {
        guard let remaining = reading.remaining else { return false }
        let left = Double(remaining) / speed
        return left > Self.worthwhile.seconds && left > 4 * reading.latency.seconds
    }

    private mutating func takeRest(_ now: Moment) {
        phase = .resting(until: now + rest)
        rest = min(rest * 2, Self.longestRest)
    }
}

// MARK: - What the governor measures

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
