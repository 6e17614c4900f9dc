import PawlCore
import PawlFleet
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ShareSimulationTests {
    private static let firstSeed = TestSeed.current("simulated budgets")

    private static let policies = [
        SharePolicy(limit: 40, isWhole: true), SharePolicy(limit: 1e8, isWhole: false),
        SharePolicy(limit: 0.5, isWhole: false),
    ]

    @Test(arguments: 0..<3)
    func `nodes never use more than the budget together`(policy: Int) async {
        let policy = Self.policies[policy]
        var breath = Breath()
        for round in 0..<60 as Range<UInt64> {
            await breath.take()
            let seed = Self.firstSeed &+ round
            let count = Int(1 + seed % 8)
            var budget = SimulatedBudget(policy, nodes: count, isTroubled: true, seed: seed)
            budget.run(seconds: 100)
            if count > 1 { budget.kill(0) }
            budget.run(seconds: 50)
            let most = budget.used.max() ?? 0
            #expect(most <= policy.limit * (1 + 1e-9), "PAWL_SEED=\(seed)")
        }
    }

    @Test(arguments: SimulatedBudget.Bug.allCases)
    func `a seeded bug is found`(bug: SimulatedBudget.Bug) async {
        var breath = Breath()
        for seed in 0..<300 as Range<UInt64> {
            await breath.take()
            var budget = SimulatedBudget(
                Self.policies[1],
                nodes: 4,
                isTroubled: true,
                seed: seed,
                bug: bug
            )
            budget.run(seconds: 100)
            if budget.used.max() ?? 0 > Self.policies[1].limit * (1 + 1e-9) { return }
        }
        Issue.record("no run revealed the bug \(bug)")
    }

    @Test(arguments: 0..<3, [2, 8])
    func `nodes use at least 90 percent in each minute, also when one is killed`(
        policy: Int,
        count: Int
    ) async {
        let policy = Self.policies[policy]
        var breath = Breath()
        for round in 0..<20 as Range<UInt64> {
            await breath.take()
            let seed = Self.firstSeed &+ round
            var warm = SimulatedBudget(policy, nodes: count, isTroubled: false, seed: seed)
            warm.run(seconds: 20)
            warm.forgetUse()
            warm.run(seconds: 90)
            warm.kill(0)
            warm.run(seconds: 90)
            #expect(warm.minutes.least >= 0.9, "PAWL_SEED=\(seed)")
            #expect(warm.minutes.most <= 1 + 1e-9, "PAWL_SEED=\(seed)")
        }
    }

    @Test func `the budget is divided evenly`() {
        let policy = Self.policies[0]
        var budget = SimulatedBudget(policy, nodes: 8, isTroubled: false, seed: Self.firstSeed)
        budget.run(seconds: 60)
        #expect(budget.inUse == [Double](repeating: 5, count: 8))
    }
}
