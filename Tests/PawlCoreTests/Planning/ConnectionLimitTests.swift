import PawlCore
import Testing

/// Tests of the limit that the planner infers from a server's refusals.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    private func moment(_ seconds: Double) -> Moment { .zero + .seconds(seconds) }

    private func observe(
        _ limit: inout ConnectionLimit,
        serving: Int,
        awaiting: Int,
        at now: Moment
    ) -> Bool {
        limit.observe(serving: serving, awaiting: awaiting, at: now)
    }

    /// Returns the limit of a server that served `count` connections and then refused one more.
    private func limited(to count: Int, at seconds: Double = 1) -> ConnectionLimit {
        var limit = ConnectionLimit()
        _ = limit.observe(serving: count, awaiting: 0, at: moment(seconds))
        limit.refused(serving: count, at: moment(seconds))
        _ = limit.observe(serving: count, awaiting: 0, at: moment(seconds))
        return limit
    }

    @Test func `there is no limit before the first refusal`() {
        var limit = ConnectionLimit()
        #expect(!observe(&limit, serving: 40, awaiting: 3, at: moment(1)))
        #expect(limit.allowed(at: moment(1)) == .max)
    }

    @Test func `a limit of an earlier download applies at once and is tested soon`() {
        var limit = ConnectionLimit()
        limit.remember(3, at: moment(1))
        #expect(limit.allowed(at: moment(1)) == 3)
        #expect(limit.allowed(at: moment(1.5)) == 4)
        // The server still refuses a fourth one.
        var confirmed = limit
        confirmed.refused(serving: 3, at: moment(1.6))
        _ = observe(&confirmed, serving: 3, awaiting: 0, at: moment(1.6))
        #expect(confirmed.allowed(at: moment(6)) == 3)
        // The server serves more now.
        _ = observe(&limit, serving: 4, awaiting: 0, at: moment(1.6))
        #expect(limit.allowed(at: moment(1.6)) == .max)
        // What this download has seen itself counts.
        var own = limited(to: 5)
        own.remember(2, at: moment(2))
        #expect(own.ceiling == 5)
    }

    @Test(arguments: 1...7)
    func `a burst of eight requests is one event in any order of answers`(served: Int) {
        for order in Self.orders(of: 8, served: served) {
            var limit = ConnectionLimit()
            var (serving, awaiting, events) = (1, 8, 0)
            for isServed in order {
                awaiting -= 1
                if isServed { serving += 1 } else { limit.refused(serving: serving, at: moment(1)) }
                if limit.observe(serving: serving, awaiting: awaiting, at: moment(1)) {
                    events += 1
                }
                if awaiting > 0 { #expect(limit.ceiling == .max) }
            }
            #expect(limit.ceiling == served + 1)
            #expect(events == 1)
        }
    }

    /// Returns every order in which `served` of `count` answers are successes.
    private static func orders(of count: Int, served: Int) -> [[Bool]] {
        (0..<(1 << count)).filter { $0.nonzeroBitCount == served }.map { bits in
            (0..<count).map { bits & (1 << $0) != 0 }
        }
    }

    @Test func `one connection without an answer does not keep the burst open`() {
        var limit = ConnectionLimit()
        limit.refused(serving: 3, at: moment(1))
        #expect(!observe(&limit, serving: 3, awaiting: 1, at: moment(2)))
        #expect(limit.isSettling)
        #expect(observe(&limit, serving: 3, awaiting: 1, at: moment(3)))
        #expect(limit.ceiling == 3)
    }

    @Test func `the limit allows an attempt after a wait, which each refusal doubles`() {
        var limit = limited(to: 4)
        #expect(limit.allowed(at: moment(5.9)) == 4)
        #expect(limit.allowed(at: moment(6)) == 5)
        limit.refused(serving: 4, at: moment(6))
        #expect(observe(&limit, serving: 4, awaiting: 0, at: moment(6)))
        #expect(limit.allowed(at: moment(15.9)) == 4)
        #expect(limit.allowed(at: moment(16)) == 5)
    }

    @Test func `a served attempt raises the limit and makes the next attempt larger`() {
        var limit = limited(to: 2)
        _ = limit.observe(serving: 3, awaiting: 0, at: moment(6))
        #expect(limit.ceiling == 3)
        #expect(limit.allowed(at: moment(6.9)) == 3)
        #expect(limit.allowed(at: moment(7)) == 5)
    }

    @Test func `a refusal right after a connection ended does not lower the limit at once`() {
        var limit = limited(to: 4)
        // One of the four connections has ended. The server still counts it and refuses its
        // successor.
        limit.refused(serving: 3, at: moment(2))
        #expect(observe(&limit, serving: 3, awaiting: 0, at: moment(2)))
        #expect(limit.ceiling == 4)
        limit.refused(serving: 3, at: moment(3))
        #expect(observe(&limit, serving: 3, awaiting: 0, at: moment(3)))
        #expect(limit.ceiling == 3)
    }

    @Test func `an outage, in which connections break, makes its refusals set no limit`() {
        var limit = ConnectionLimit()
        _ = limit.observe(serving: 12, awaiting: 0, at: moment(1))
        limit.refused(serving: 11, at: moment(2))
        _ = limit.observe(serving: 11, awaiting: 1, at: moment(2))
        for left in (0..<11).reversed() {
            limit.servedConnectionBroke(at: moment(2))
            limit.refused(serving: left, at: moment(2))
            #expect(!observe(&limit, serving: left, awaiting: 0, at: moment(2)))
        }
        #expect(limit.allowed(at: moment(2)) == .max)
    }

    @Test func `a source that serves nothing has an outage, not a limit`() {
        var limit = ConnectionLimit()
        limit.refused(serving: 0, at: moment(1))
        #expect(!limit.isSettling)
        limit.refused(serving: 1, at: moment(2))
        #expect(!observe(&limit, serving: 0, awaiting: 0, at: moment(2)))
        #expect(limit.allowed(at: moment(2)) == .max)
    }
}
