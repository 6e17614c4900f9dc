import PawlCore
import PawlPostgres
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ReconnectionPolicyTests {
    private let start = Moment(nanoseconds: 0)
    private let delays: [Int64] = [200, 400, 800, 1_600, 3_200, 5_000, 5_000]

    @Test func `the delay grows while no connection is made`() {
        var policy = ReconnectionPolicy()
        #expect(policy.nextDelay() == .zero)
        for delay in delays {
            policy.ended(at: start)
            #expect(policy.nextDelay() == .milliseconds(delay))
        }
    }

    @Test func `the delay grows while each connection ends soon`() {
        var policy = ReconnectionPolicy()
        #expect(policy.nextDelay() == .zero)
        for delay in delays {
            policy.connected(at: start)
            policy.ended(at: start + .seconds(4))
            #expect(policy.nextDelay() == .milliseconds(delay))
        }
    }

    @Test func `a connection that lasted is made again at once`() {
        var policy = ReconnectionPolicy()
        for _ in 0..<4 { _ = policy.nextDelay() }
        policy.connected(at: start)
        policy.ended(at: start + .seconds(5))
        #expect(policy.nextDelay() == .zero)
        #expect(policy.nextDelay() == .milliseconds(200))
        // The time of an earlier connection does not count.
        policy.ended(at: start + .seconds(3_600))
        #expect(policy.nextDelay() == .milliseconds(400))
    }
}
