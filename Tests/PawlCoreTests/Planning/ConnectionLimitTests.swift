import PawlCore
import Testing

/// What is learned of a server's limit from its refusals.
@Suite(.timeLimit(.minutes(1)))
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

    /// A limit that has served `count` connections and was then refused one more.
    private func limited(to count: Int, at seconds: Double = 1) -> ConnectionLimit {
        var limit = ConnectionLimit()
        _ = limit.observe(serving: count, awaiting: 0, at: moment(seconds))
        limit.refused(serving: count, at: moment(seconds))
        _ = limit.observe(serving: count, awaiting: 0, at: moment(seconds))
        return limit
    }

    @Test func `nothing is limited before a refusal`() {
        var limit = ConnectionLimit()
        #expect(!observe(&limit, serving: 40, awaiting: 3, at: moment(1)))
        #expect(limit.allowed(at: moment(1)) == .max)
    }

    @Test(arguments: 1...7)
    func `a burst of eight is one event in whatever order it is answered`(served: Int) {
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

    /// Every order in which `served` of `count` answers can be good ones.
    private static func orders(of count: Int, served: Int) -> [[Bool]] {
        (0..<(1 << count)).filter { $0.nonzeroBitCount == served }.map { bits in
            (0..<count).map { bits & (1 << $0) != 0 }
        }
    }

    @Test func `one connection that does not answer does not keep the burst open`() {
        var limit = ConnectionLimit()
        limit.refused(serving: 3, at: moment(1))
        #expect(!observe(&limit, serving: 3, awaiting: 1, at: moment(2)))
        #expect(limit.isSettling)
        #expect(observe(&limit, serving: 3, awaiting: 1, at: moment(3)))
        #expect(limit.ceiling == 3)
    }

    @Test func `a try follows after a while, each refused one twice as late`() {
        var limit = limited(to: 4)
        #expect(limit.allowed(at: moment(5.9)) == 4)
        #expect(limit.allowed(at: moment(6)) == 5)
        limit.refused(serving: 4, at: moment(6))
        #expect(observe(&limit, serving: 4, awaiting: 0, at: moment(6)))
        #expect(limit.allowed(at: moment(15.9)) == 4)
        #expect(limit.allowed(at: moment(16)) == 5)
    }

    @Test func `a try that is served raises the limit, and the next one is larger`() {
        var limit = limited(to: 2)
        _ = limit.observe(serving: 3, awaiting: 0, at: moment(6))
        #expect(limit.ceiling == 3)
        #expect(limit.allowed(at: moment(11)) == 5)
    }

    @Test func `a refusal in place of a connection that just ended is not believed at once`() {
        var limit = limited(to: 4)
        // One of the four has ended; the server still counts it, and refuses its successor.
        limit.refused(serving: 3, at: moment(2))
        #expect(observe(&limit, serving: 3, awaiting: 0, at: moment(2)))
        #expect(limit.ceiling == 4)
        limit.refused(serving: 3, at: moment(3))
        #expect(observe(&limit, serving: 3, awaiting: 0, at: moment(3)))
        #expect(limit.ceiling == 3)
    }

    @Test func `connections that break are an outage, and the refusals around it are no limit`() {
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

    @Test func `a source that serves nothing has no limit but an outage`() {
        var limit = ConnectionLimit()
        limit.refused(serving: 0, at: moment(1))
        #expect(!limit.isSettling)
        limit.refused(serving: 1, at: moment(2))
        #expect(!observe(&limit, serving: 0, awaiting: 0, at: moment(2)))
        #expect(limit.allowed(at: moment(2)) == .max)
    }
}
