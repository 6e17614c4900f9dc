import Glibc
import PawlTesting
import Testing

extension HeavyTests {
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct FaultTests {
        @Test(arguments: [FaultScenario.small, .large, .resumed])
        func `whichever call fails, the file is exact or absent`(scenario: FaultScenario)
            async throws
        {
            let counts = try await scenario.count()
            #expect((counts[.pwrite] ?? 0) > 0)
            #expect((counts[.fsync] ?? 0) > 0)
            var plans: [FaultPlan] = []
            for (call, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                for number in Self.numbers(upTo: count) {
                    plans.append(FaultPlan(.fail(EIO), at: number, of: [call]))
                    if Self.takeRoom.contains(call) {
                        plans.append(FaultPlan(.fail(ENOSPC), at: number, of: [call]))
                    }
                    if call == .pwrite { plans.append(FaultPlan(.short, at: number, of: [call])) }
                }
            }
            let felt = try await Self.endure(plans, in: scenario, atOnce: 3)
            // Some faults are tolerated: a short write, a folder that cannot be synced, an
            // attribute.
            #expect(felt * 3 >= plans.count, "\(felt) of \(plans.count)")
        }

        @Test(arguments: [FaultScenario.small, .large, .resumed])
        func `whichever call it is killed at, the next run succeeds`(scenario: FaultScenario)
            async throws
        {
            // The number of calls depends on timing; the calls of the shorter run are in both.
            let counts = try await scenario.count().merging(scenario.count(), uniquingKeysWith: min)
            var plans: [FaultPlan] = []
            for (call, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                for number in Self.numbers(upTo: count) {
                    plans.append(FaultPlan(.killBefore, at: number, of: [call]))
                    plans.append(FaultPlan(.killAfter, at: number, of: [call]))
                }
            }
            let felt = try await Self.endure(plans, in: scenario, atOnce: 3)
            // How many writes there are is not the same each time, and fewer on a busy machine.
            #expect(felt * 4 >= plans.count * 3, "\(felt) of \(plans.count)")
        }

        /// All run at the same time, because they mostly wait for the clock.
        @Test func `whichever sync fails, no missing byte is trusted`()
            async throws
        {
            let counts = try await FaultScenario.slow.count()
            #expect((counts[.fdatasync] ?? 0) > 0)
            var plans: [FaultPlan] = []
            for call in [FaultPlan.Call.fdatasync, .fsync] {
                for number in Self.numbers(upTo: counts[call] ?? 0) {
                    plans.append(FaultPlan(.fail(EIO), at: number, of: [call]))
                    plans.append(FaultPlan(.killAfter, at: number, of: [call]))
                    var killed = FaultPlan(.fail(EIO), at: number, of: [call, .pwrite])
                    killed.thenKills = true
                    plans.append(killed)
                }
            }
            let felt = try await Self.endure(plans, in: .slow, atOnce: plans.count)
            #expect(felt * 2 >= plans.count, "\(felt) of \(plans.count)")
        }

        @Test(arguments: [EIO, ENOSPC])
        func `a disk that stays broken is an error until it works again`(number: Int32)
            async throws
        {
            for call in [FaultPlan.Call.pwrite, .fsync, .fallocate, .open] {
                // Reserving space for the checkpoint may fail.
                let first = call == .fallocate ? 1 : 2
                var plan = FaultPlan(.fail(number), at: first, of: [call])
                plan.persists = true
                #expect(try await FaultScenario.large.endure(plan), "\(plan.name)")
            }
        }

        private static let takeRoom: Set<FaultPlan.Call> = [.pwrite, .fallocate, .open, .link]

        /// The first ones, then coarser and coarser, and the last.
        private static func numbers(upTo count: Int) -> [Int] {
            guard count > 0 else { return [] }
            var numbers: [Int] = []
            var number = 1
            while number < count {
                numbers.append(number)
                number = number < 3 ? number + 1 : number * 4
            }
            return numbers + [count]
        }

        /// Returns how many faults made themselves felt.
        private static func endure(
            _ plans: [FaultPlan],
            in scenario: FaultScenario,
            atOnce most: Int
        ) async throws -> Int {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                var felt = 0
                for (index, plan) in plans.enumerated() {
                    if index >= most, try await group.next() == true { felt += 1 }
                    group.addTask { try await scenario.endure(plan) }
                }
                for try await wasFelt in group where wasFelt { felt += 1 }
                return felt
            }
        }
    }
}
