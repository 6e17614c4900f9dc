import PawlCore
import Glibc

/// A run of many seeds, several at a time.
package struct ChaosCampaign: Sendable {
    private let name: String
    private let haste: Int
    private let width: Int

    /// Creates a campaign.
    ///
    /// `haste`: the speed of the client's clock, as a multiple of the system's; `width`: the number
    /// of seeds that run at the same time.
    package init(_ name: String, haste: Int = 1, width: Int) {
        self.name = name
        self.haste = haste
        self.width = width
    }

    /// The number of seeds that `PAWL_CHAOS` requests; `nil` if the variable is not set.
    package static let wanted = getenv("PAWL_CHAOS").flatMap { Int(String(cString: $0)) }

    /// The time limit of a campaign.
    package static let minutes = wanted.map { 4 + $0 / 50 } ?? 5

    /// Runs `count` seeds, unless the environment requests others, and prints and returns each
    /// failure.
    package func run(count: Int, _ client: any ChaosClient) async throws -> [String] {
        let seeds = TestSeed.seeds(name, count: Self.wanted ?? count)
        return try await run(seeds, client, isPrinted: true)
    }

    /// Runs the given seeds and returns the description of each failure.
    package func run(seeds: [UInt64], _ client: any ChaosClient) async throws -> [String] {
        try await run(seeds, client, isPrinted: false)
    }

    private func run(
        _ seeds: [UInt64],
        _ client: any ChaosClient,
        isPrinted: Bool
    ) async throws -> [String] {
        var failures: [String] = []
        var tally = ChaosTally()
        var done = 0
        try await withThrowingTaskGroup(of: (String?, ChaosTally).self) { group in
            var waiting = seeds.makeIterator()
            func add() {
                guard let seed = waiting.next() else { return }
                group.addTask { try await run(seed, client) }
            }
            for _ in 0..<width { add() }
            while let (failure, part) = try await group.next() {
                done += 1
                tally.add(part)
                if let failure { failures.append(failure) }
                if isPrinted { show(failure, done: done, of: seeds.count) }
                if !Task.isCancelled { add() }
            }
        }
        if isPrinted { print("\(name): \(tally.summary)") }
        return failures
    }

    /// Prints a failure at once, because a campaign may take hours.
    private func show(_ failure: String?, done: Int, of count: Int) {
        if let failure { print("\(name): FAILED\n\(failure)") }
        guard Self.wanted != nil, done.isMultiple(of: 100) else { return }
        print("\(name): \(done) of \(count) seeds")
        fflush(nil)
    }

    private func run(_ seed: UInt64, _ client: any ChaosClient) async throws -> (
        failure: String?, tally: ChaosTally
    ) {
        var round = try ChaosRound(ChaosScenario(seed: seed, haste: haste), client)
        let story = try await round.run()
        return (story.map { "PAWL_SEED=\(seed) of \(name)\n\($0)" }, round.tally)
    }
}
