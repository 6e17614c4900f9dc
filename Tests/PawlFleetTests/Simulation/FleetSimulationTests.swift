import PawlCore
import PawlTesting
import Testing

/// Fleets of two to four nodes in which everything fails sometimes.
@Suite(.timeLimit(.minutes(FleetExtent.minutes)))
struct FleetSimulationTests {
    private static let firstSeed = TestSeed.current("simulated fleets")

    @Test(arguments: 0..<4)
    func `every download ends once, with one representation, by its last owner`(part: Int) async {
        var breath = Breath()
        let count = (FleetExtent.fleets + 3) / 4
        for round in 0..<count {
            await breath.take()
            let seed = Self.firstSeed &+ UInt64(part * count + round)
            let world = SimulatedWorld(seed: seed)
            world.run()
            #expect(world.truth.violations.isEmpty, "run again with PAWL_SEED=\(seed)")
        }
    }

    @Test(arguments: SeededBug.allCases)
    func `a seeded bug is found`(bug: SeededBug) async {
        var breath = Breath()
        for seed in 0..<5_000 as Range<UInt64> {
            await breath.take()
            let world = SimulatedWorld(seed: seed, bug: bug)
            world.run()
            if world.truth.violations.contains(where: { $0.contains(bug.violation) }) { return }
        }
        Issue.record("no run revealed the bug \(bug)")
    }

    @Test func `every situation occurs in some run`() async {
        var breath = Breath()
        var missing = Set(SimulatedSituation.allCases)
        for seed in 0..<5_000 as Range<UInt64> where !missing.isEmpty {
            await breath.take()
            let world = SimulatedWorld(seed: seed)
            world.run()
            missing.subtract(world.truth.situations)
        }
        #expect(missing.isEmpty)
    }

    @Test func `the download of a killed node is taken within 17 seconds`() async {
        var breath = Breath()
        var taken = 0
        for seed in 0..<200 as Range<UInt64> {
            await breath.take()
            let world = SimulatedWorld(seed: seed, hasFaults: false)
            world.run()
            #expect(world.truth.violations.isEmpty)
            guard let killedAt = world.killedAt else { continue }
            let row = world.database.downloads[0]
            guard row.takenAt > killedAt else { continue }
            taken += 1
            #expect(row.takenAt - killedAt < .seconds(17), "seed \(seed)")
        }
        #expect(taken > 50)
    }

    @Test func `the seed determines everything`() {
        for seed in 0..<20 as Range<UInt64> {
            let (first, second) = (SimulatedWorld(seed: seed), SimulatedWorld(seed: seed))
            first.run()
            second.run()
            #expect(first.summary == second.summary)
        }
    }
}
