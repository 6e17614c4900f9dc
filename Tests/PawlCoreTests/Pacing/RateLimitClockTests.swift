import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RateLimitClockTests {
    @Test func `without a limit there are no pauses`() {
        for limit in [nil, 0, -5] as [Int64?] {
            let clock = RateLimitClock(limitBytesPerSecond: limit)
            #expect(clock.limitBytesPerSecond == nil)
            #expect(clock.charge(bytes: .max, now: .zero) == .zero)
            #expect(clock.charge(bytes: .max, now: .zero) == .zero)
        }
    }

    @Test func `a tenth of a second is free, the rest is waited for`() {
        let clock = RateLimitClock(limitBytesPerSecond: 1000)
        let now = Moment(nanoseconds: 5_000_000_000)
        #expect(clock.charge(bytes: 100, now: now) == .zero)
        #expect(clock.charge(bytes: 50, now: now) == .milliseconds(50))
        #expect(clock.charge(bytes: 50, now: now) == .milliseconds(100))
        #expect(clock.charge(bytes: 0, now: now) == .zero)
        #expect(clock.charge(bytes: -7, now: now) == .zero)
    }

    @Test func `unused time is not saved up`() {
        let clock = RateLimitClock(limitBytesPerSecond: 1000)
        #expect(clock.charge(bytes: 100, now: .zero) == .zero)
        let later = Moment.zero + .seconds(3600)
        #expect(clock.charge(bytes: 200, now: later) == .milliseconds(100))
    }

    @Test func `a raised limit takes effect at once`() {
        let clock = RateLimitClock(limitBytesPerSecond: 1000)
        _ = clock.charge(bytes: 10_000, now: .zero)
        clock.setLimit(bytesPerSecond: 100_000, now: .zero)
        #expect(clock.limitBytesPerSecond == 100_000)
        #expect(clock.charge(bytes: 10_000, now: .zero) == .milliseconds(100))
        clock.setLimit(bytesPerSecond: nil, now: .zero)
        #expect(clock.charge(bytes: 1 << 40, now: .zero) == .zero)
        clock.setLimit(bytesPerSecond: 1000, now: .zero)
        #expect(clock.charge(bytes: 100, now: .zero) == .zero)
    }

    @Test func `a limit changed meanwhile is kept`() {
        let clock = RateLimitClock(limitBytesPerSecond: 1000)
        clock.changeLimit(from: 2000, to: 3000, now: .zero)
        #expect(clock.limitBytesPerSecond == 1000)
        _ = clock.charge(bytes: 10_000, now: .zero)
        clock.changeLimit(from: 1000, to: 100_000, now: .zero)
        #expect(clock.charge(bytes: 10_000, now: .zero) == .milliseconds(100))
        clock.changeLimit(from: nil, to: 1, now: .zero)
        clock.changeLimit(from: 100_000, to: nil, now: .zero)
        #expect(clock.limitBytesPerSecond == nil)
    }

    @Test func `extreme numbers saturate`() {
        let clock = RateLimitClock(limitBytesPerSecond: 1)
        let last = Moment(nanoseconds: .max)
        #expect(clock.charge(bytes: .max, now: .zero) > .seconds(9_000_000_000))
        #expect(clock.charge(bytes: .max, now: last) == .zero)
        clock.setLimit(bytesPerSecond: .max, now: .zero)
        clock.setLimit(bytesPerSecond: 1, now: Moment(nanoseconds: .min))
        _ = clock.charge(bytes: .max, now: Moment(nanoseconds: .min))
    }

    @Test func `the average rate is the limit`() {
        var random = TestSeed.generator("rate limits")
        for limit in [1, 1_000, 64 << 10, 10 << 20, 12_345_678_901] as [Int64] {
            let clock = RateLimitClock(limitBytesPerSecond: limit)
            let most = max(1, Int(limit / 4))
            // Each transfer reads again when its pause is over, always the one that is due first.
            var due = [Moment](repeating: .zero, count: 7)
            var now = Moment.zero
            var total = 0
            while now < Moment.zero + .seconds(600) {
                let next = due.indices.min { due[$0] < due[$1] } ?? 0
                now = max(now, due[next])
                let bytes = Int.random(in: 1...most, using: &random)
                let pause = clock.charge(bytes: bytes, now: now)
                total += bytes
                due[next] = now + pause + .microseconds(Int64.random(in: 0...900, using: &random))
            }
            let rate = Double(total) / (now - .zero).seconds
            #expect(abs(rate / Double(limit) - 1) < 0.02, "limit \(limit)")
        }
    }

    @Test func `transfers on several threads share one limit`() async {
        let clock = RateLimitClock(limitBytesPerSecond: 1_000_000)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { _ = clock.charge(bytes: 1000, now: .zero) }
                }
            }
        }
        // 80 MB at 1 MB/s without a lost charge: the next byte is 80 s away.
        let pause = clock.charge(bytes: 1000, now: .zero)
        #expect(pause == .milliseconds(80_001 - 100))
    }
}
