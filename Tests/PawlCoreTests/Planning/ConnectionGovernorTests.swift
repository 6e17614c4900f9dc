import PawlCore
import Testing

/// Tests of the governor on links whose speed depends on the number of connections.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionGovernorTests {
    /// Runs the governor for a number of seconds and returns its target at each tick of 50 ms.
    private func run(
        _ governor: inout ConnectionGovernor,
        seconds: Double,
        remaining: Int64? = 10 << 30,
        latency: Duration = .milliseconds(20),
        load: Double = 0,
        silence: (Int) -> Duration = { _ in .zero },
        isQueueFull: (Int) -> Bool = { _ in false },
        allowed: Int = .max,
        testsLimit: Bool = false,
        flowing: (Int) -> Int = { $0 },
        speed: (Int) -> Double
    ) -> [Int] {
        var now = Moment.zero
        var bytes = 0.0
        var work = Duration.zero
        var targets: [Int] = []
        while now < .zero + .seconds(seconds) {
            now = now + .milliseconds(50)
            bytes += speed(governor.target) * 0.05
            work += .milliseconds(50) * load
            var reading = ConnectionGovernor.Reading(
                bytes: Int64(bytes),
                flowing: flowing(governor.target),
                remaining: remaining,
                latency: latency,
                work: work
            )
            reading.silence = silence(governor.target)
            reading.isQueueFull = isQueueFull(governor.target)
            reading.allowed = allowed
            reading.testsLimit = testsLimit
            governor.tick(reading, at: now)
            targets.append(governor.target)
        }
        return targets
    }

    @Test func `a fixed number of connections does not change`() {
        var governor = ConnectionGovernor(.fixed(5))
        let targets = run(&governor, seconds: 5) { Double($0) * 1e6 }
        #expect(Set(targets) == [5])
    }

    @Test func `the governor adds connections while each adds its share of speed`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 3) { Double($0) * 1e6 }
        #expect(targets.last == ConnectionGovernor.automaticCeiling)
    }

    @Test func `a link that one stream fills keeps one stream nearly all the time`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 60) { _ in 1e7 }
        #expect(targets.last == 1)
        #expect(targets.count { $0 > 1 } < targets.count / 20)
    }

    @Test func `a thread that is busy with one connection gets no second connection`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 60, load: 0.8) { Double($0) * 1e9 }
        #expect(Set(targets) == [1])
    }

    @Test func `a thread with spare time gets more connections`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 3, load: 0.4) { Double($0) * 1e6 }
        #expect(targets.last == ConnectionGovernor.automaticCeiling)
    }

    @Test func `the governor takes back connections that add no speed`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 4) { Double(min($0, 4)) * 1e6 }
        #expect(targets.contains(8))
        #expect(targets.last == 4)
    }

    @Test(
        arguments: [(8 << 20, 12), (14 << 20, 14), (24 << 20, 16), (1 << 30, 16)] as [(Int64, Int)]
    )
    func `the governor leaps at once when latency is high`(remaining: Int64, leap: Int) {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(
            &governor,
            seconds: 0.5,
            remaining: remaining,
            latency: .milliseconds(120)
        ) { Double($0) * 1e6 }
        #expect(targets.first == leap)
        #expect(!targets.contains(2))
    }

    @Test func `a slow connection with high latency gets others, however few bytes remain`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(
            &governor,
            seconds: 1,
            remaining: 4 << 20,
            latency: .milliseconds(120)
        ) { Double($0) * 1e6 }
        #expect(targets.first { $0 > 2 } == ConnectionGovernor.automaticCeiling)
    }

    @Test func `the governor leaps when a second connection is as fast as the first`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 2) { Double($0) * 1e6 }
        #expect(targets.first { $0 > 2 } == ConnectionGovernor.automaticCeiling)
    }

    @Test func `the governor leaps when the first connection pauses`() {
        var governor = ConnectionGovernor(.automatic)
        var silence = Duration.zero
        let targets = run(&governor, seconds: 1, silence: { _ in silence }) { count in
            // 50 ms with bytes, 200 ms without.
            silence = silence < .milliseconds(200) ? silence + .milliseconds(50) : .zero
            return silence == .zero ? Double(count) * 8e6 : 0
        }
        #expect(Set(targets) == [1, 16])
    }

    @Test func `a pause shortly before the end causes no leap`() {
        var governor = ConnectionGovernor(.automatic)
        var silence = Duration.zero
        let targets = run(&governor, seconds: 1, remaining: 8_000_000, silence: { _ in silence }) {
            _ in
            silence = silence < .milliseconds(100) ? silence + .milliseconds(50) : .zero
            return silence == .zero ? 3e7 : 2e7
        }
        #expect(Set(targets) == [1])
    }

    @Test func `a lost packet is not a pause`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(
            &governor,
            seconds: 1,
            remaining: 24 << 20,
            latency: .milliseconds(90),
            silence: { _ in .milliseconds(130) }
        ) { _ in 1e7 }
        #expect(Set(targets) == [1])
    }

    @Test(arguments: [(4e5, 9), (1e4, 16)])
    func `a leap leaves some bytes for each connection, and fewer if one would take very long`(
        bytesPerSecond: Double,
        connections: Int
    ) {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(
            &governor,
            seconds: 1,
            remaining: 9 * (256 << 10),
            silence: { _ in .milliseconds(100) }
        ) { Double($0) * bytesPerSecond }
        #expect(targets.first { $0 > 1 } == connections)
    }

    @Test func `the first connection reaches full speed before a leap`() {
        var governor = ConnectionGovernor(.automatic)
        var first = 1e5
        let targets = run(
            &governor,
            seconds: 3,
            remaining: 7 << 20,
            latency: .milliseconds(120)
        ) { count in
            first = min(1e6, first * 1.25)
            return Double(count) * first
        }
        // The speed rises from 0.1 to 1 MB/s in 10 ticks.
        #expect(targets.prefix(10).allSatisfy { $0 == 1 })
        #expect(targets.first { $0 > 1 } == 2)
        #expect(targets.first { $0 > 2 } == ConnectionGovernor.automaticCeiling)
    }

    @Test func `a full queue prevents a leap and delays the next trial`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(
            &governor,
            seconds: 30,
            latency: .milliseconds(60),
            isQueueFull: { $0 > 1 }
        ) { _ in 1e7 }
        #expect(targets.max() == 2)
        #expect(targets.count { $0 > 1 } <= 4)
    }

    @Test func `a full queue ends a trial at once`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 4, isQueueFull: { $0 > 4 }) {
            [1: 1e6, 2: 1.5e6, 4: 2e6][$0] ?? 3e6
        }
        #expect(targets.count { $0 > 4 } == 1)
        #expect(targets.contains(4))
    }

    @Test func `the governor takes back a leap on a link that one stream fills`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 8, latency: .milliseconds(120)) { _ in 1e7 }
        #expect(targets.contains(ConnectionGovernor.automaticCeiling))
        #expect(targets.last == 1)
    }

    @Test func `a small file causes no leap`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(
            &governor,
            seconds: 0.3,
            remaining: 4 << 20,
            latency: .milliseconds(120)
        ) { Double($0) * 1e6 }
        #expect(targets.first == 1)
    }

    @Test func `the governor takes back connections that only seemed to add speed`() {
        var governor = ConnectionGovernor(.automatic)
        // The link fills slowly, whatever the number of connections is.
        var speed = 1e6
        let targets = run(&governor, seconds: 8) { _ in
            speed = min(1e7, speed * 1.2)
            return speed
        }
        #expect(targets.contains { $0 > 1 })
        #expect(targets.last == 1)
    }

    @Test func `a file that is nearly complete gets no more connections`() {
        var governor = ConnectionGovernor(.automatic)
        let targets = run(&governor, seconds: 3, remaining: 100_000) { Double($0) * 1e6 }
        #expect(Set(targets) == [1])
    }

    @Test func `an interruption restarts a measurement but does not end a rest`() {
        var governor = ConnectionGovernor(.automatic)
        var bytes: Int64 = 0
        var now = Moment.zero
        func pass(_ time: Duration, _ count: Int64) {
            now = now + time
            bytes += count
            governor.tick(
                ConnectionGovernor.Reading(
                    bytes: bytes,
                    flowing: governor.target,
                    remaining: 10 << 30,
                    latency: .milliseconds(20)
                ),
                at: now
            )
        }
        for _ in 0..<4 { pass(.milliseconds(50), 50_000) }
        #expect(governor.target == 2)
        // Ten seconds without bytes to fetch would make two connections look worse than one.
        for _ in 0..<2 { pass(.milliseconds(50), 77_000) }
        now = now + .seconds(10)
        governor.interrupted(at: now)
        for _ in 0..<6 { pass(.milliseconds(50), 77_000) }
        #expect(governor.target == 4)
        while governor.isMeasuring { pass(.milliseconds(50), 77_000) }
        governor.interrupted(at: now)
        #expect(!governor.isMeasuring)
    }

    @Test func `a fixed number gives way to a server's limit and returns with the limit`() {
        var governor = ConnectionGovernor(.fixed(8))
        governor.wasLimited(to: 3, at: .zero)
        #expect(governor.target == 3)
        #expect(Set(run(&governor, seconds: 6, allowed: 3) { Double($0) * 1e6 }) == [3])
        #expect(run(&governor, seconds: 1, allowed: 4) { Double($0) * 1e6 }.last == 4)
        #expect(run(&governor, seconds: 1) { Double($0) * 1e6 }.last == 8)
    }

    @Test func `a limit ends a trial and costs one rest, however low the limit is`() {
        var governor = ConnectionGovernor(.automatic)
        _ = run(&governor, seconds: 0.6) { Double($0) * 1e6 }
        governor.wasLimited(to: 0, at: .zero + .seconds(1))
        #expect(governor.target == 1)
        #expect(!governor.isMeasuring)
    }

    @Test func `an outage does not change the number of connections`() {
        var governor = ConnectionGovernor(.automatic)
        let before = run(&governor, seconds: 3) { Double($0) * 1e6 }.last
        #expect(before == ConnectionGovernor.automaticCeiling)
        let during = run(&governor, seconds: 60, flowing: { _ in 0 }) { _ in 0 }
        #expect(during.last == before)
    }

    // MARK: - What earlier downloads have learned

    private func expecting(
        _ connections: Int,
        _ bytesPerSecond: Double,
        isProven: Bool = true
    ) -> ConnectionGovernor {
        var governor = ConnectionGovernor(.automatic)
        governor.expect(
            ConnectionSpeed(
                connections: connections,
                bytesPerSecond: bytesPerSecond,
                isProven: isProven
            )
        )
        return governor
    }

    @Test func `what was learned is used at once and kept while it holds`() {
        var governor = expecting(6, 6e6)
        let targets = run(&governor, seconds: 4) { Double(min($0, 6)) * 1e6 }
        #expect(Set(targets) == [6])
        let learned = governor.learned
        #expect(learned?.connections == 6)
        #expect(learned.map { abs($0.bytesPerSecond - 6e6) < 1e5 } == true)
        #expect(learned?.isProven == true)
    }

    @Test func `more connections than the server allows now are not opened`() {
        var governor = expecting(6, 6e6)
        let targets = run(&governor, seconds: 4, allowed: 3) { Double($0) * 1e6 }
        #expect(targets.max() == 3)
    }

    @Test func `if the speed is lower than it was, other numbers are tried`() {
        var governor = expecting(4, 8e6)
        let targets = run(&governor, seconds: 6) { Double($0) * 1e6 }
        #expect(targets.first == 4)
        #expect(targets.last == ConnectionGovernor.automaticCeiling)
    }

    @Test func `if the speed is far higher than it was, more are tried`() {
        var governor = expecting(4, 4e6)
        let targets = run(&governor, seconds: 4) { Double($0) * 4e6 }
        #expect(targets.first == 4)
        #expect(targets.last == ConnectionGovernor.automaticCeiling)
        governor = expecting(1, 1e6)
        let more = run(&governor, seconds: 4) { Double($0) * 4e6 }
        #expect(more.last == ConnectionGovernor.automaticCeiling)
    }

    @Test
    func `a limit of an earlier download is tested at once, and more are tried if it is gone`() {
        var governor = expecting(2, 2e6)
        let limited = run(&governor, seconds: 0.5, allowed: 2) { Double($0) * 1e6 }
        #expect(limited.last == 2)
        let test = run(&governor, seconds: 0.1, allowed: 3, testsLimit: true, flowing: { _ in 2 }) {
            _ in 2e6
        }
        #expect(test.last == 3)
        let free = run(&governor, seconds: 3) { Double($0) * 1e6 }
        #expect(free.last == ConnectionGovernor.automaticCeiling)
    }

    @Test func `a limit of an earlier download that still holds costs one trial`() {
        var governor = expecting(2, 2e6)
        _ = run(&governor, seconds: 0.5, allowed: 2) { Double($0) * 1e6 }
        _ = run(&governor, seconds: 0.1, allowed: 3, testsLimit: true, flowing: { _ in 2 }) { _ in
            2e6
        }
        governor.wasLimited(to: 2, at: .zero)
        #expect(Set(run(&governor, seconds: 4, allowed: 2) { Double($0) * 1e6 }) == [2])
        #expect(governor.learned?.connections == 2)
    }

    @Test func `a number that is not the last of its trials is not learned`() throws {
        let ends = (4..<40).lazy.map { tenths -> ConnectionGovernor in
            var governor = ConnectionGovernor(.automatic)
            // Each doubling is a success, but too small for a leap.
            _ = self.run(&governor, seconds: Double(tenths) / 10) { 1e6 * (1 + Double($0) * 0.3) }
            return governor
        }
        let governor = try #require(ends.first { $0.target == 4 })
        #expect(governor.learned == nil)
    }

    @Test func `if one connection was enough, none is tried while it is as fast`() {
        var governor = expecting(1, 1e7)
        let targets = run(&governor, seconds: 4) { _ in 9e6 }
        #expect(Set(targets) == [1])
        #expect(governor.learned?.connections == 1)
    }

    @Test func `if one connection was enough and is slow now, others are opened`() {
        var governor = expecting(1, 1e7)
        let targets = run(&governor, seconds: 4) { Double($0) * 1e6 }
        #expect(targets.last == ConnectionGovernor.automaticCeiling)
    }

    @Test func `a number that was never compared is used at once, and compared if there is time`() {
        var governor = expecting(12, 1e7, isProven: false)
        let short = run(&governor, seconds: 2, remaining: 24 << 20, latency: .milliseconds(120)) {
            _ in 1e7
        }
        #expect(Set(short) == [12])
        #expect(governor.learned?.isProven == false)

        governor = expecting(12, 1e7, isProven: false)
        let long = run(&governor, seconds: 10, latency: .milliseconds(120)) { _ in 1e7 }
        #expect(long.first == 12)
        #expect(long.last == 1)
        #expect(governor.learned?.isProven == true)
    }

    @Test func `a leap that was never compared is learned as such`() {
        var governor = ConnectionGovernor(.automatic)
        _ = run(&governor, seconds: 1, remaining: 24 << 20, latency: .milliseconds(120)) { _ in 1e7
        }
        #expect(governor.learned?.connections == ConnectionGovernor.automaticCeiling)
        #expect(governor.learned?.isProven == false)
    }

    @Test func `a server that limits each connection is learned as proven`() {
        var governor = ConnectionGovernor(.automatic)
        _ = run(&governor, seconds: 2) { Double($0) * 1e6 }
        #expect(governor.learned?.connections == ConnectionGovernor.automaticCeiling)
        #expect(governor.learned?.isProven == true)
    }

    @Test func `a leap that gains nothing is not learned as proven`() {
        var governor = ConnectionGovernor(.automatic)
        var silence = Duration.zero
        let targets = run(&governor, seconds: 1, remaining: 40_000_000, silence: { _ in silence }) {
            _ in
            silence = silence < .milliseconds(100) ? silence + .milliseconds(50) : .zero
            return silence == .zero ? 3e7 : 0
        }
        #expect(targets.last == 16)
        #expect(governor.learned?.connections == 16)
        #expect(governor.learned?.isProven == false)
    }

    @Test func `one connection that was never compared is not learned`() {
        var governor = ConnectionGovernor(.automatic)
        _ = run(&governor, seconds: 1, remaining: 4_000_000) { _ in 1e7 }
        #expect(governor.target == 1)
        #expect(governor.learned == nil)
        var fixed = ConnectionGovernor(.fixed(4))
        _ = run(&fixed, seconds: 1) { _ in 1e7 }
        #expect(fixed.learned == nil)
    }
}
