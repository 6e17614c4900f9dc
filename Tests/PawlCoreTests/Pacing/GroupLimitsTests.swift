import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct GroupLimitsTests {
    @Test func `without a group there are no pauses`() {
        let limits = GroupLimits()
        #expect(!limits.isLimited)
        #expect(limits.bytesPerSecond == nil)
        #expect(limits.charge(bytes: .max, now: .zero) == .zero)
        #expect(limits.wait(at: .zero) == .zero)
    }

    @Test func `the slowest group decides, and each one is charged`() {
        let (slow, fast) = (
            RateLimitClock(limitBytesPerSecond: 1000), RateLimitClock(limitBytesPerSecond: 10_000)
        )
        let limits = GroupLimits()
        limits.clocks = [fast, RateLimitClock(), slow]
        #expect(limits.isLimited)
        #expect(limits.bytesPerSecond == 1000)
        #expect(limits.charge(bytes: 2000, now: .zero) == .milliseconds(1900))
        #expect(limits.wait(at: .zero) == .milliseconds(1900))
        #expect(fast.wait(at: .zero) == .milliseconds(100))
    }

    @Test func `two downloads of a group share its limit`() {
        let clock = RateLimitClock(limitBytesPerSecond: 1000)
        let (one, other) = (GroupLimits(), GroupLimits())
        (one.clocks, other.clocks) = ([clock], [clock])
        #expect(one.charge(bytes: 100, now: .zero) == .zero)
        #expect(other.charge(bytes: 100, now: .zero) == .milliseconds(100))
        other.clocks = []
        #expect(other.charge(bytes: 1_000_000, now: .zero) == .zero)
        #expect(one.charge(bytes: 100, now: .zero) == .milliseconds(200))
    }

    @Test func `each change is counted, even when the groups are replaced`() {
        let (old, new) = (RateLimitClock(), RateLimitClock())
        for limit: Int64 in 1...5 { old.setLimit(bytesPerSecond: limit, now: .zero) }
        let limits = GroupLimits()
        var counts = [limits.changes]
        limits.clocks = [old]
        counts.append(limits.changes)
        old.setLimit(bytesPerSecond: 9, now: .zero)
        counts.append(limits.changes)
        limits.clocks = [new]
        counts.append(limits.changes)
        new.setLimit(bytesPerSecond: 3, now: .zero)
        counts.append(limits.changes)
        limits.clocks = []
        counts.append(limits.changes)
        #expect(counts == counts.sorted())
        #expect(Set(counts).count == counts.count)
    }
}
