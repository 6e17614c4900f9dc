import PawlCore
import PawlFleet
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LeasePlannerTests {
    private static let start = Moment.zero + .seconds(1_000)

    private func moment(_ seconds: Double) -> Moment { Self.start + .seconds(seconds) }

    private func attempt(_ actions: [LeasePlanner.Action]) -> LeasePlanner.Attempt? {
        for case .join(let attempt) in actions { return attempt }
        for case .renew(let attempt) in actions { return attempt }
        return nil
    }

    /// Returns a planner that joined at 0 s, with a lease until 15 s of the database's clock.
    private func member() throws -> LeasePlanner {
        var planner = LeasePlanner()
        let join = try #require(attempt(planner.tick(at: moment(0))))
        #expect(join.isJoin)
        let held = LeasePlanner.Answer.held(node: 7, until: .zero + .seconds(15))
        #expect(planner.answered(join, held, at: moment(0.1)) == [.resume])
        #expect(planner.node == 7)
        return planner
    }

    @Test func `a node without a lease asks for one and may do nothing`() {
        var planner = LeasePlanner()
        #expect(attempt(planner.tick(at: moment(0)))?.isJoin == true)
        #expect(!planner.isValid(at: moment(0)))
        #expect(planner.node == nil)
    }

    @Test func `the lease is renewed every 5 seconds`() throws {
        var planner = try member()
        #expect(planner.wakeAt == moment(5))
        #expect(planner.tick(at: moment(4.9)).isEmpty)
        let renewal = try #require(attempt(planner.tick(at: moment(5))))
        #expect(!renewal.isJoin)
        let held = LeasePlanner.Answer.held(node: 7, until: .zero + .seconds(20))
        #expect(planner.answered(renewal, held, at: moment(5.1)).isEmpty)
        #expect(planner.wakeAt == moment(10))
    }

    @Test func `the lease is trusted for 12 seconds from the moment of the request`() throws {
        var planner = try member()
        #expect(planner.isValid(at: moment(11.9)))
        #expect(!planner.isValid(at: moment(12)))
        let renewal = try #require(attempt(planner.tick(at: moment(5))))
        let held = LeasePlanner.Answer.held(node: 7, until: .zero + .seconds(20))
        _ = planner.answered(renewal, held, at: moment(7.5))
        #expect(planner.isValid(at: moment(16.9)))
        #expect(!planner.isValid(at: moment(17)))
    }

    @Test func `without an answer the node tries again, suspends, and resumes`() throws {
        var planner = try member()
        var renewals: [LeasePlanner.Attempt] = []
        var suspendedAt: Moment?
        while suspendedAt == nil {
            let now = planner.wakeAt
            for action in planner.tick(at: now) {
                if case .renew(let attempt) = action { renewals.append(attempt) }
                if action == .suspend { suspendedAt = now }
            }
        }
        #expect(suspendedAt == moment(12))
        // At 5 s, and 1 s after that has failed at 8 s.
        #expect(renewals.map(\.sentAt) == [moment(5), moment(9)])
        let last = try #require(attempt(planner.tick(at: moment(13))) ?? renewals.last)
        let held = LeasePlanner.Answer.held(node: 7, until: .zero + .seconds(28))
        #expect(planner.answered(last, held, at: moment(13.5)) == [.resume])
        #expect(planner.isValid(at: moment(13.5)))
    }

    @Test func `a late answer counts from the moment of its request`() throws {
        var planner = try member()
        let first = try #require(attempt(planner.tick(at: moment(5))))
        _ = planner.tick(at: moment(8))
        _ = planner.tick(at: moment(9))
        let held = LeasePlanner.Answer.held(node: 7, until: .zero + .seconds(20))
        _ = planner.answered(first, held, at: moment(10))
        #expect(planner.isValid(at: moment(16.9)))
        #expect(!planner.isValid(at: moment(17)))
    }

    @Test func `a machine that was suspended does not trust its lease`() throws {
        var planner = try member()
        #expect(!planner.isValid(at: moment(3_600)))
        #expect(planner.tick(at: moment(3_600)).first == .suspend)
    }

    @Test func `a node that is lost ends its runs and joins again`() throws {
        var planner = try member()
        let renewal = try #require(attempt(planner.tick(at: moment(5))))
        #expect(planner.answered(renewal, .lost, at: moment(5.1)) == [.end])
        #expect(!planner.isValid(at: moment(5.1)))
        #expect(planner.node == nil)
        let join = try #require(attempt(planner.tick(at: moment(5.1))))
        #expect(join.isJoin)
        // Answers about the earlier lease are void.
        let held = LeasePlanner.Answer.held(node: 7, until: .zero + .seconds(20))
        #expect(planner.answered(renewal, held, at: moment(5.2)).isEmpty)
        #expect(planner.answered(renewal, .lost, at: moment(5.2)).isEmpty)
        let again = LeasePlanner.Answer.held(node: 8, until: .zero + .seconds(21))
        #expect(planner.answered(join, again, at: moment(5.3)) == [.resume])
        #expect(planner.node == 8)
    }

    @Test func `the answer to a request to join that was given up is ignored`() throws {
        var planner = LeasePlanner()
        let first = try #require(attempt(planner.tick(at: moment(0))))
        _ = planner.tick(at: moment(3))
        let second = try #require(attempt(planner.tick(at: moment(4))))
        #expect(second.number > first.number)
        let held = LeasePlanner.Answer.held(node: 7, until: .zero + .seconds(15))
        #expect(planner.answered(first, held, at: moment(4.1)).isEmpty)
        #expect(planner.node == nil)
    }

    @Test func `others are declared lost only after 20 seconds without trouble`() throws {
        var planner = try member()
        for second in stride(from: 5.0, through: 20, by: 5) {
            #expect(planner.leaseForDeclaringLost(at: moment(second - 0.1)) == nil)
            let renewal = try #require(attempt(planner.tick(at: moment(second))))
            let until = Moment.zero + .seconds(second + 15)
            _ = planner.answered(renewal, .held(node: 7, until: until), at: moment(second + 0.1))
        }
        let lease = Moment.zero + .seconds(35)
        #expect(planner.leaseForDeclaringLost(at: moment(20.2)) == lease)
        // A renewal without an answer for 2 s is trouble, and so is one that failed.
        let renewal = try #require(attempt(planner.tick(at: moment(25))))
        #expect(planner.leaseForDeclaringLost(at: moment(26.9)) == lease)
        #expect(planner.leaseForDeclaringLost(at: moment(27)) == nil)
        let until = Moment.zero + .seconds(40)
        _ = planner.answered(renewal, .held(node: 7, until: until), at: moment(27.5))
        #expect(planner.leaseForDeclaringLost(at: moment(28)) == nil)
    }
}
