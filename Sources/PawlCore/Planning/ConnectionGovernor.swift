/// Decides how many connections a download uses: it adds connections while total speed increases.
///
/// The first trial begins when the first connection has reached its full speed. Each trial doubles
/// the number of connections. If total speed rises by a twentieth, the next trial follows.
/// Otherwise the trial is undone, and the time until the next trial doubles. If the download ends
/// soon and total speed has not decreased, the connections of a later trial stay: those that are
/// left need a second to use all of the link.
///
/// The first trial ends without cost (``trial``): a second connection gets a short piece at the end
/// of the first one's bytes, and is not closed before it has received it. So that trial begins even
/// if little time is left.
///
/// It leaps, which means that it opens several connections at once, in three cases: the first
/// connection pauses between its bytes, as if the server limited it; a second connection is nearly
/// as fast as the first one; or each trial would take long, because the latency is high. If an
/// earlier download has learned how many connections are best, it begins with these, and returns to
/// its own trials if they are not as fast as they were.
///
/// While a link is still filling, any number seems to help. So after a successful trial half as
/// many connections are tried, and kept if they are as fast, if enough time is left to be worth
/// it. No more connections are tried if one of Pawl's threads is busy, or if the queue of the link
/// is full.
package struct ConnectionGovernor: Sendable {
    package private(set) var target = 1
    private let most: Int
    /// The number of connections that the servers allow, at most `most`.
    private var ceiling: Int
    private let isFixed: Bool
    private var phase = Phase.settling(since: nil)
    private var before: (target: Int, bytesPerSecond: Double)?
    private var rest = Self.firstRest
    /// Whether a trial of fewer connections is under way.
    private var isShrinking = false
    /// Whether a number was kept, and half of it has not been tried since.
    private var isUnproven = false
    /// Whether a second connection was opened to measure how long connecting takes.
    private var isProbing = false
    /// Whether it leaps no more, because it has leapt, or a trial has failed.
    private var isLeapOver = false
    /// The best number of connections in an earlier download, and its speed, until this download
    /// has been compared with it.
    private var expected: ConnectionSpeed?
    /// Whether another number was tried.
    private var isProven = false
    /// The speed of the first connection alone; `nil` if it was not measured.
    private var alone: Double?
    /// The speed since the present number of connections was reached.
    private var steady: (target: Int, window: Window)?
    /// The last speed with each number of connections that was used for long enough.
    private var speeds: [Int: Double] = [:]
    /// Whether a server's limit, and not the speed, keeps the number of connections low.
    private var isHeldByLimit = false
    /// The bytes since a trial that ends without cost began.
    private var tried: Window?
    /// The present speed of the first connection during a rest.
    private var watch: Window?
    /// Whether the number of connections is that of an earlier download.
    private var isRemembered = false

    private enum Phase {
        /// Waiting until all connections receive bytes.
        case settling(since: Moment?)
        /// Waiting until the first connection stops getting faster.
        case growing(Growth)
        case measuring(Window)
        case resting(until: Moment)
    }

    package static let automaticCeiling = 16
    package static let neededGain = 1.05
    /// The load of one thread from which the machine is the limit, or soon will be.
    package static let fullLoad = 0.6
    static let firstRest: Duration = .seconds(5)
    static let longestRest: Duration = .seconds(120)
    static let shortestWindow: Duration = .milliseconds(100)
    /// The time in which the growth of the first connection is measured if the latency is lower.
    static let shortestRound: Duration = .milliseconds(50)
    /// The length of a measurement that must distinguish a twentieth from chance.
    static let carefulWindow: Duration = .milliseconds(500)
    static let clearGain = 1.5
    /// The latency from which the first trial opens `firstLeap` connections.
    static let longLatency: Duration = .milliseconds(100)
    /// The latency from which a first round trip without slow start is visible.
    static let visibleLatency: Duration = .milliseconds(30)
    /// The latency below which a leap opens `leastAwaiting` connections at a time.
    static let shortLatency: Duration = .milliseconds(10)
    static let leastAwaiting = 2
    static let fewestLeapt = 8
    /// The number of connections after a leap at the first byte, when nothing is known of the link:
    /// the first packets of more could overflow a short queue.
    static let hurriedLeap: Int64 = 12
    /// The number of remaining bytes per connection from which such a leap opens more.
    static let hurriedLeapBytes: Int64 = 1 << 20
    /// The gain of a second connection that shows a limit of the server for each connection.
    static let proportionalGain = 1.6
    /// The minimum number of remaining bytes per connection for a leap.
    static let leapBytes: Int64 = 256 << 10
    /// That number if the first connection alone would take `longWait`, as with many lost packets.
    static let shortLeapBytes: Int64 = 128 << 10
    static let longWait: Duration = .seconds(8)
    /// The number of remaining bytes from which a leap at high latency does not wait for the first
    /// connection's full speed.
    static let hurriedBytes: Int64 = 8 << 20
    /// The loss of speed from which a trial is undone.
    static let tolerableLoss = 0.9
    /// The gain per round trip that still counts as slow start: a measured doubling may be smaller.
    static let slowStartGain = 1.25
    /// The remaining time from which fewer connections are worth a trial, which is slow if it fails.
    static let worthShrinking: Duration = .seconds(10)
    static let longestWindow: Duration = .seconds(2)
    /// The share of the speed of an earlier download that the same connections must reach.
    static let expectedShare = 0.75
    /// The length of a measurement from which its speed is kept for later downloads.
    static let worthKeeping: Duration = .milliseconds(300)
    static let fewestArrivals = 3
    /// The remaining time, at the present speed, from which another connection is worth its cost.
    ///
    /// If it adds nothing, it slows the others down for a moment.
    static let worthwhile: Duration = .milliseconds(2500)
    /// The remaining time from which a trial that ends without cost is worthwhile.
    static let worthTrying: Duration = .milliseconds(500)
    /// The remaining time from which a leap after such a trial is worthwhile.
    static let worthLeapingAfterTrial: Duration = .milliseconds(150)
    /// The time that a piece of a trial takes at the speed of one connection, besides the latency.
    static let trialPiece: Duration = .milliseconds(200)
    /// The time in which a drop of the first connection's speed is measured, and the share of its
    /// former speed that counts as a drop.
    static let dropWindow: Duration = .milliseconds(250)
    static let dropShare = 0.6
    /// The remaining time, at the present speed, from which a pause is worth a leap.
    static let worthLeaping: Duration = .seconds(1)
    /// The minimum length of a pause, and its minimum as a multiple of the latency, which is about
    /// two round trips: after a lost packet, the bytes behind it wait for up to three.
    static let shortestPause: Duration = .milliseconds(60)
    static let pauseFactor = 1.6

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

    /// Whether the next decision depends on a measurement that is under way.
    package var isMeasuring: Bool {
        if isFixed { return false }
        if case .resting = phase { return false }
        return true
    }

    /// Begins with the number of connections that was best in an earlier download.
    package mutating func expect(_ speed: ConnectionSpeed) {
        guard !isFixed, target == 1, before == nil, !isLeapOver else { return }
        expected = speed
    }

    /// The number of connections that was best, and its speed; `nil` if that is not known.
    package var learned: ConnectionSpeed? {
        guard !isFixed, !isProbing else { return nil }
        // The end of the download interrupts a trial, which shows nothing.
        let kept = before?.target ?? target
        guard kept > 1 || isProven, let speed = speeds[kept] else { return nil }
        // The download ended while each trial was still a success: more might be better.
        guard isProven || isLeapOver || kept >= ceiling else { return nil }
        let isFaster = alone.map { speed >= $0 * Self.proportionalGain } ?? false
        return ConnectionSpeed(
            connections: kept,
            bytesPerSecond: speed,
            isProven: isProven || kept > 1 && isFaster
        )
    }

    /// Returns the time that the trial's piece takes at the speed of one connection; `nil` if the next
    /// connection is not a trial without cost.
    package func trialPieceDuration(latency: Duration) -> Duration? {
        isCostlessTrial ? Self.trialPiece + latency * 2 : nil
    }

    /// Whether the connection of such a trial has been opened; it gets no second piece before the
    /// trial is judged.
    package private(set) var hasOpenedTrial = false

    /// Notes that the connection of a trial was opened.
    package mutating func openedTrial() { hasOpenedTrial = true }

    /// Whether a second connection is tried, which ends without cost.
    private var isCostlessTrial: Bool { !isFixed && before?.target == 1 && target == 2 }

    /// Returns how many connections to a source that serves `serving` may wait for their first
    /// response: a server with a limit that is not known yet refuses few, and may ban a client that
    /// it refuses often.
    package func mostAwaiting(serving: Int, latency: Duration) -> Int {
        guard !isFixed, !isRemembered, latency < Self.longLatency else { return .max }
        return latency < Self.shortLatency ? Self.leastAwaiting : max(Self.leastAwaiting, serving)
    }

    /// Whether surplus connections may receive the rest of their pieces: a trial of fewer
    /// connections must begin at once.
    package var surplusMayFinish: Bool { !isShrinking }

    package mutating func tick(_ reading: Reading, at now: Moment) {
        ceiling = max(1, min(most, reading.allowed))
        guard !isFixed else { return target = ceiling }
        if reading.testsLimit, target < ceiling { return testLimit(now) }
        advance(reading, now)
        measureSteady(reading, now)
    }

    private mutating func measureSteady(_ reading: Reading, _ now: Moment) {
        if steady?.target != target { steady = nil }
        if case .growing = phase { return }
        // Connections that end at the end of the download are not missed: the speed counts up to
        // the last moment at which all received bytes.
        guard reading.flowing >= target, reading.flowing > 0 else { return }
        if steady == nil { steady = (target, Window(reading, at: now)) }
        steady?.window.observe(reading, at: now)
        guard let window = steady?.window, window.duration >= Self.worthKeeping else { return }
        speeds[target] = window.bytesPerSecond
    }

    private mutating func advance(_ reading: Reading, _ now: Moment) {
        if isCostlessTrial, hasOpenedTrial, let open = reading.open, open < target {
            return endTrial(reading, now)
        }
        switch phase {
        case .settling(let since): settle(since: since, reading, now)
        case .growing(var growth):
            let mean = growth.mean(reading, at: now)
            // On a busy machine, a connection that is much faster than any server's limit pauses.
            guard !pauses(reading) || left(at: mean ?? 0, reading) < Self.worthLeaping else {
                alone = mean
                return leap(reading, most: ceiling, now)
            }
            let isOver = growth.isOver(reading, at: now)
            phase = .growing(growth)
            if isOver { endGrowing(growth, reading, now) }
        case .measuring(var window):
            guard reading.flowing >= target else {
                phase = .settling(since: now)
                return
            }
            guard !pauses(reading) else { return leap(reading, most: ceiling, now) }
            window.observe(reading, at: now)
            phase = .measuring(window)
            guard isEnough(window, reading, now) else { return }
            decide(speed: window.bytesPerSecond, load: window.load, reading, now)
        case .resting(let until):
            if isHeldByLimit, ceiling > target, tryRaisedLimit(reading, now) { return }
            guard now >= until else { return watchDrop(reading, now) }
            before = nil
            isShrinking = false
            phase = .measuring(Window(reading, at: now))
        }
    }

    /// Judges a trial whose connection has received its piece.
    private mutating func endTrial(_ reading: Reading, _ now: Moment) {
        var judged = tried
        if case .measuring(let window) = phase, window.duration >= Self.shortestWindow {
            judged = window
        } else {
            judged?.observe(reading, at: now)
            // A piece that was received so soon was faster than the first connection, or too short.
            judged = judged.flatMap { isClear($0, reading) ? $0 : nil }
        }
        if let judged {
            return decide(speed: judged.bytesPerSecond, load: judged.load, reading, now)
        }
        target = 1
        before = nil
        takeRest(now)
    }

    /// Ends a rest that a server's limit caused, because the limit may be higher now; returns
    /// whether more connections are tried.
    private mutating func tryRaisedLimit(_ reading: Reading, _ now: Moment) -> Bool {
        isHeldByLimit = false
        guard let speed = speeds[target], isWorthwhile(speed, reading) else { return false }
        before = (target, speed)
        target = min(target * 2, ceiling)
        (hasOpenedTrial, tried) = (false, Window(reading, at: now))
        phase = .settling(since: now)
        return true
    }

    /// Ends the rest of a first connection that has become much slower: a server may limit it after
    /// its first bytes.
    private mutating func watchDrop(_ reading: Reading, _ now: Moment) {
        guard target == 1, ceiling > 1, let alone, reading.flowing > 0 else { return watch = nil }
        guard var window = watch else { return watch = Window(reading, at: now) }
        window.observe(reading, at: now)
        watch = window
        let elapsed = now - window.since
        guard elapsed >= max(Self.dropWindow, reading.latency * 4) else { return }
        watch = nil
        let speed = Double(reading.bytes - window.bytes) / elapsed.seconds
        guard speed < alone * Self.dropShare, isWorthTrying(speed, reading) else { return }
        before = nil
        isLeapOver = false
        phase = .growing(Growth(reading, at: now))
    }

    /// Opens one connection more than a server allowed in an earlier download.
    ///
    /// If it is served, what was best below that limit counts no longer, and trials of more
    /// connections follow.
    private mutating func testLimit(_ now: Moment) {
        target = ceiling
        (before, expected) = (nil, nil)
        (isShrinking, isProbing) = (false, false)
        (isUnproven, isProven, isLeapOver) = (false, false, false)
        phase = .settling(since: now)
    }

    /// Notes that the servers refused connections above this number.
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

    /// Starts the measurement again, because no bytes were expected until now.
    package mutating func interrupted(at now: Moment) {
        if case .resting = phase { return }
        phase = .settling(since: now)
    }

    private func isEnough(_ window: Window, _ reading: Reading, _ now: Moment) -> Bool {
        let needed = isClear(window, reading) ? Self.shortestWindow : Self.carefulWindow
        let shortest = min(Self.longestWindow, max(needed, reading.latency * 2))
        if window.arrivals >= Self.fewestArrivals {
            return window.lastAt - window.since >= shortest
        }
        return now - window.since >= Self.longestWindow
    }

    /// Whether a short measurement is enough: there is nothing to compare it with yet, or the gain
    /// is too large to be chance.
    private func isClear(_ window: Window, _ reading: Reading) -> Bool {
        guard !isShrinking, expected == nil else { return false }
        guard let before else { return true }
        // With little time left, only the gain that causes a leap is worth more connections.
        if isCostlessTrial, let alone, !isWorthwhile(window.bytesPerSecond, reading) {
            return window.bytesPerSecond >= alone * Self.proportionalGain
        }
        return window.bytesPerSecond >= before.bytesPerSecond * Self.clearGain
    }

    private mutating func settle(since: Moment?, _ reading: Reading, _ now: Moment) {
        if isFirst(reading) {
            if let expected, expected.connections > 1 {
                return begin(with: expected, reading, now)
            }
            guard isHurried(reading), expected == nil else {
                return phase = .growing(Growth(reading, at: now))
            }
            let worthwhile = (reading.remaining ?? 0) / Self.hurriedLeapBytes
            leap(reading, most: Int(clamping: max(Self.hurriedLeap, worthwhile)), now)
        } else if reading.flowing >= target {
            if isProbing || isTrial, reading.isQueueFull { return takeBack(reading, now) }
            if isProbing { return leap(reading, most: ceiling, now) }
            // Bytes that were in flight to closed connections still fill the link for a while.
            let grace = isShrinking ? max(Self.shortestWindow, reading.latency * 2) : .zero
            guard now - (since ?? now) >= grace else { return }
            phase = .measuring(Window(reading, at: now))
        } else if let since {
            // An outage shows nothing: afterwards the same connections are opened again.
            guard reading.flowing > 0 else { return phase = .settling(since: now) }
            // If no more connections are available (because of a host budget, or because no
            // segment is left to split), the trial ends with the present ones.
            guard now - since > Self.longestWindow * 2 else { return }
            target = max(1, reading.flowing)
            before = nil
            expected = nil
            isProbing = false
            takeRest(now)
        } else {
            phase = .settling(since: now)
        }
    }

    /// Whether more connections than before are being tried.
    private var isTrial: Bool { before.map { target > $0.target } ?? false }

    /// Whether only the first connection has been used so far, and it receives bytes.
    private func isFirst(_ reading: Reading) -> Bool {
        target == 1 && ceiling > 1 && before == nil && !isUnproven && !isShrinking && !isLeapOver
            && reading.flowing > 0 && reading.remaining != nil
    }

    /// Whether a wait for the first connection's full speed would take too much of the total time.
    private func isHurried(_ reading: Reading) -> Bool {
        reading.isLong && reading.remaining ?? 0 >= Self.hurriedBytes
    }

    /// Whether enough bytes remain to open several connections at once.
    private func mayLeap(_ reading: Reading) -> Bool {
        guard !isLeapOver, !isShrinking, let remaining = reading.remaining else { return false }
        return target < ceiling && remaining >= Int64(Self.fewestLeapt) * leapBytes(reading)
    }

    /// The minimum number of remaining bytes per connection for a leap now.
    private func leapBytes(_ reading: Reading) -> Int64 {
        let isSlow = alone.map { left(at: $0, reading) >= Self.longWait } ?? false
        return isSlow ? Self.shortLeapBytes : Self.leapBytes
    }

    /// Whether the connections pause for longer than a round trip: neither the link nor the
    /// congestion window limits them, but the server, or a loss.
    private func pauses(_ reading: Reading) -> Bool {
        mayLeap(reading) && reading.flowing >= target && !reading.isLong
            && reading.silence >= max(Self.shortestPause, reading.latency * Self.pauseFactor)
    }

    /// Opens the number of connections that was best in an earlier download.
    private mutating func begin(with speed: ConnectionSpeed, _ reading: Reading, _ now: Moment) {
        leap(reading, most: speed.connections, now)
        isRemembered = true
        (expected, isUnproven) = (speed, !speed.isProven)
    }

    private mutating func leap(_ reading: Reading, most: Int, _ now: Moment) {
        expected = nil
        let worthwhile = (reading.remaining ?? 0) / leapBytes(reading)
        target = min(ceiling, max(target, Int(min(worthwhile, Int64(most)))))
        before = nil
        isProbing = false
        isUnproven = true
        isLeapOver = true
        phase = .settling(since: now)
    }

    /// Tries a second connection after the first one has reached its full speed.
    private mutating func endGrowing(_ growth: Growth, _ reading: Reading, _ now: Moment) {
        alone = growth.present
        if let known = expected {
            expected = nil
            // One connection was enough.
            if Self.isAsExpected(growth.recent, known) {
                isProven = true
                return takeRest(now)
            }
        }
        guard growth.load < Self.fullLoad else {
            isProven = true
            return takeRest(now)
        }
        // A lost packet may make the connection slow later on.
        let speed = growth.recent
        if isWorthwhile(speed, reading) {
            // At this moment the queue of a full link is full, whatever the congestion control is.
            let isLimited = !growth.hasGrown && reading.latency >= Self.visibleLatency
            if isLimited || reading.isLong, mayLeap(reading) { return probe(now) }
        } else if reading.isLong || !isWorthTrying(speed, reading) {
            return
        }
        before = (1, speed)
        target = 2
        (hasOpenedTrial, tried) = (false, Window(reading, at: now))
        phase = .settling(since: now)
    }

    private mutating func probe(_ now: Moment) {
        target = min(2, ceiling)
        isProbing = true
        phase = .settling(since: now)
    }

    /// Undoes a trial on a full link: more connections cannot make it faster.
    private mutating func takeBack(_ reading: Reading, _ now: Moment) {
        target = before?.target ?? 1
        before = nil
        isProbing = false
        isProven = true
        beginShrinking(reading, now)
    }

    private mutating func decide(speed: Double, load: Double, _ reading: Reading, _ now: Moment) {
        if isShrinking { return shrink(speed: speed, reading, now) }
        if let known = expected {
            expected = nil
            if Self.isAsExpected(speed, known) {
                isProven = known.isProven
                return beginShrinking(reading, now)
            }
            // What was best for another speed is no better than any number.
            isUnproven = false
        }
        if let before, target > before.target, speed < before.bytesPerSecond * Self.neededGain {
            let isSlower = speed < before.bytesPerSecond * Self.tolerableLoss
            let isLong = left(at: speed, reading) > Self.worthShrinking
            if isSlower || isLong || before.target == 1 { target = before.target }
            isProven = isProven || target == before.target
            self.before = nil
            return beginShrinking(reading, now)
        }
        if let before, before.target == 1, mayLeap(reading), load < Self.fullLoad,
            speed >= min(before.bytesPerSecond, alone ?? .infinity) * Self.proportionalGain,
            left(at: speed, reading) > max(Self.worthLeapingAfterTrial, reading.latency * 2)
        {
            alone = alone ?? before.bytesPerSecond
            return leap(reading, most: ceiling, now)
        }
        // After a leap, fewer connections are tried before more.
        guard before != nil || !isUnproven else { return beginShrinking(reading, now) }
        isUnproven = isUnproven || before != nil
        guard target < ceiling, speed > 0, load < Self.fullLoad,
            isWorthwhile(speed, reading)
        else {
            let isGain = before.map { speed >= $0.bytesPerSecond * Self.clearGain } ?? false
            self.before = nil
            // The limit may rise further.
            return isGain && ceiling < most ? takeRest(now) : beginShrinking(reading, now)
        }
        before = (target, speed)
        target = min(target * 2, ceiling)
        (hasOpenedTrial, tried) = (false, Window(reading, at: now))
        phase = .settling(since: now)
    }

    /// Whether a speed is that of an earlier download with the same number of connections.
    private static func isAsExpected(_ speed: Double, _ known: ConnectionSpeed) -> Bool {
        speed >= known.bytesPerSecond * expectedShare
            && speed <= known.bytesPerSecond * proportionalGain
    }

    private mutating func beginShrinking(_ reading: Reading, _ now: Moment) {
        guard isUnproven, target > reading.sources else { return takeRest(now) }
        isShrinking = true
        phase = .settling(since: now)
    }

    /// Keeps half as many connections if they are as fast.
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
        isProven = isProven || before != nil
        before = nil
        isUnproven = false
        isShrinking = false
        takeRest(now)
    }

    private func isWorthwhile(_ speed: Double, _ reading: Reading) -> Bool {
        left(at: speed, reading) > max(Self.worthwhile, reading.latency * 8)
    }

    private func isWorthTrying(_ speed: Double, _ reading: Reading) -> Bool {
        left(at: speed, reading) > max(Self.worthTrying, reading.latency * 8)
    }

    /// The remaining time; zero if the number of remaining bytes is not known.
    private func left(at speed: Double, _ reading: Reading) -> Duration {
        guard let remaining = reading.remaining else { return .zero }
        return .seconds(min(Double(remaining) / max(speed, 1), 1e6))
    }

    private mutating func takeRest(_ now: Moment) {
        isLeapOver = true
        isHeldByLimit = target >= ceiling && ceiling < most
        phase = .resting(until: now + rest)
        rest = min(rest * 2, Self.longestRest)
    }
}
