import PawlCore
import PawlFleet
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SharePolicyTests {
    /// The table of shares of one budget.
    private struct Table {
        var policy: SharePolicy
        var shares: [SharePolicy.Share] = []
        var now = Moment.zero + .seconds(100)
        private var sequence = 0

        init(_ policy: SharePolicy) { self.policy = policy }

        /// Asks for a share, and returns what is granted and the target.
        mutating func ask(_ node: Int64, wants: Double, keeps: Double = 0) -> [Double] {
            sequence += 1
            let request = SharePolicy.Request(sequence: sequence, wanted: wants, keeps: keeps)
            guard let share = policy.share(of: node, for: request, shares: shares, at: now) else {
                return []
            }
            shares.removeAll { $0.node == node }
            shares.append(share)
            return [share.granted, share.target]
        }
    }

    @Test func `a single node gets what it wants, up to the budget`() {
        var table = Table(SharePolicy(limit: 10, isWhole: true))
        #expect(table.ask(1, wants: 4) == [4, 4])
        #expect(table.ask(1, wants: 40, keeps: 4) == [10, 10])
        #expect(table.ask(1, wants: .infinity, keeps: 10) == [10, 10])
    }

    @Test func `what a node must give up is granted to others only after it has`() {
        var table = Table(SharePolicy(limit: 10, isWhole: true))
        #expect(table.ask(1, wants: 20) == [10, 10])
        #expect(table.ask(2, wants: 20) == [0, 5])
        // The first node reads its target, but three more connections still have to end.
        #expect(table.ask(1, wants: 20, keeps: 10) == [10, 5])
        #expect(table.ask(1, wants: 20, keeps: 8) == [8, 5])
        #expect(table.ask(2, wants: 20) == [2, 5])
        #expect(table.ask(1, wants: 20, keeps: 5) == [5, 5])
        #expect(table.ask(2, wants: 20, keeps: 2) == [5, 5])
    }

    @Test func `what some do not want is divided among the others`() {
        var table = Table(SharePolicy(limit: 100, isWhole: false))
        #expect(table.ask(1, wants: 10) == [10, 10])
        #expect(table.ask(2, wants: 100) == [90, 90])
        #expect(table.ask(3, wants: 100) == [0, 45])
        #expect(table.ask(2, wants: 100, keeps: 45) == [45, 45])
        #expect(table.ask(3, wants: 100) == [45, 45])
    }

    @Test func `connections are whole, and their sum is the budget`() {
        var table = Table(SharePolicy(limit: 10.9, isWhole: true))
        for _ in 0..<4 {
            for node in 1...4 as ClosedRange<Int64> {
                let held = table.shares.first { $0.node == node }
                let keeps = held.map { min($0.granted, $0.target) } ?? 0
                _ = table.ask(node, wants: 8, keeps: keeps)
            }
        }
        #expect(table.shares.map(\.granted).sorted() == [2, 2, 3, 3])
    }

    @Test func `a share that has ended belongs to others`() {
        var table = Table(SharePolicy(limit: 10, isWhole: true))
        #expect(table.ask(1, wants: 10) == [10, 10])
        table.now = table.now + .milliseconds(5_999)
        #expect(table.ask(2, wants: 10) == [0, 5])
        table.now = table.now + .milliseconds(1)
        #expect(table.ask(2, wants: 10) == [10, 10])
        // The first one keeps nothing, whatever it says.
        #expect(table.ask(1, wants: 10, keeps: 10) == [0, 5])
    }

    @Test func `a late request changes nothing`() {
        var table = Table(SharePolicy(limit: 10, isWhole: true))
        #expect(table.ask(1, wants: 10) == [10, 10])
        let late = SharePolicy.Request(sequence: 1, wanted: 1, keeps: 1)
        #expect(table.policy.share(of: 1, for: late, shares: table.shares, at: table.now) == nil)
    }

    @Test func `a smaller budget is reached as nodes give up what they have`() {
        var table = Table(SharePolicy(limit: 10, isWhole: true))
        #expect(table.ask(1, wants: 10) == [10, 10])
        table.policy = SharePolicy(limit: 4, isWhole: true)
        #expect(table.ask(1, wants: 10, keeps: 10) == [10, 4])
        #expect(table.ask(2, wants: 10) == [0, 2])
        #expect(table.ask(1, wants: 10, keeps: 2) == [2, 2])
        #expect(table.ask(2, wants: 10) == [2, 2])
    }

    @Test func `a node uses a share for 4.8 seconds from its request on`() {
        var held = HeldShare()
        #expect(held.usable(at: .zero) == 0)
        let start = Moment.zero + .seconds(50)
        let request = held.request(wanted: 8, inUse: 0, at: start)
        #expect(request.keeps == 0)
        held.answered(share(request, granted: 8, target: 8))
        #expect(held.usable(at: start + .milliseconds(4_799)) == 8)
        #expect(held.usable(at: start + .milliseconds(4_800)) == 0)
    }

    @Test func `a node reduces its use at once, and reports what it still uses`() {
        var held = HeldShare()
        let start = Moment.zero + .seconds(50)
        var request = held.request(wanted: 8, inUse: 0, at: start)
        held.answered(share(request, granted: 8, target: 5))
        #expect(held.usable(at: start) == 5)
        request = held.request(wanted: 8, inUse: 7, at: start + .seconds(2))
        #expect(request.keeps == 7)
        // Until the answer, it uses no more than it has reported, and no more than its share.
        #expect(held.usable(at: start + .seconds(2)) == 5)
        held.answered(share(request, granted: 7, target: 7))
        #expect(held.usable(at: start + .seconds(2)) == 7)
        // After the end of its share it keeps nothing.
        request = held.request(wanted: 8, inUse: 7, at: start + .seconds(10))
        #expect(request.keeps == 0)
    }

    @Test func `only the answer to the last request counts`() {
        var held = HeldShare()
        let start = Moment.zero + .seconds(50)
        let first = held.request(wanted: 8, inUse: 0, at: start)
        _ = held.request(wanted: 8, inUse: 0, at: start + .seconds(2))
        held.answered(share(first, granted: 8, target: 8))
        #expect(held.usable(at: start + .seconds(2)) == 0)
    }

    private func share(
        _ request: SharePolicy.Request,
        granted: Double,
        target: Double
    ) -> SharePolicy.Share {
        SharePolicy.Share(
            node: 1,
            sequence: request.sequence,
            wanted: request.wanted,
            granted: granted,
            target: target,
            until: .zero
        )
    }
}
