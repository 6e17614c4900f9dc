import PawlCore
import PawlFleet
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LostNodePolicyTests {
    private func moment(_ seconds: Double) -> Moment { .zero + .seconds(seconds) }

    /// A node that renewed its lease at 100 s, in a database that was started at 0 s.
    private var policy: LostNodePolicy {
        LostNodePolicy(
            databaseStartedAt: .zero,
            namedLease: moment(115),
            ownLease: moment(115)
        )
    }

    @Test func `a node is lost when its lease has ended`() {
        #expect(policy.isLost(leaseUntil: moment(103), at: moment(103)))
        #expect(!policy.isLost(leaseUntil: moment(103), at: moment(102.9)))
    }

    @Test func `nobody is lost until the database has run for 20 seconds`() {
        var policy = policy
        policy.databaseStartedAt = moment(84)
        #expect(!policy.isLost(leaseUntil: moment(90), at: moment(103.9)))
        #expect(policy.isLost(leaseUntil: moment(90), at: moment(104)))
    }

    @Test func `a request that waited during an outage has no effect`() {
        // The node that asks has not renewed its lease either.
        #expect(policy.isLost(leaseUntil: moment(90), at: moment(107)))
        #expect(!policy.isLost(leaseUntil: moment(90), at: moment(107.1)))
        // Or it has, but after it sent the request.
        var policy = policy
        policy.ownLease = moment(130)
        #expect(!policy.isLost(leaseUntil: moment(90), at: moment(115.1)))
    }
}
