import PawlCore
import PawlTesting
import Testing

/// Planner, governor and retry policy against servers with random faults.
@Suite(.timeLimit(.minutes(SimulationExtent.minutes)))
struct SimulationTests {
    private static let rounds = SimulationExtent.rounds

    private static let firstSeed = TestSeed.current("simulations")

    @Test(arguments: 0..<8)
    func `every download ends with one version or with an error`(part: Int) async {
        var breath = Breath()
        for round in 0..<Self.rounds / 8 {
            await breath.take()
            let seed = Self.firstSeed &+ UInt64(part * Self.rounds + round)
            var download = SimulatedDownload(seed: seed, server: SimulatedServer(seed: seed))
            download.run()
            expectOneVersionOrError(download, seed)
        }
    }

    @Test(arguments: 0..<8)
    func `a file that changes silently is never a mixture of versions`(part: Int) async {
        var breath = Breath()
        var successes = 0
        for round in 0..<Self.rounds / 8 {
            await breath.take()
            let seed = Self.firstSeed &+ UInt64(part * Self.rounds + round)
            let server = SimulatedServer(silentWithSeed: seed)
            var download = SimulatedDownload(seed: seed, server: server)
            download.run()
            expectOneVersionOrError(download, seed)
            if case .success = download.result { successes += 1 }
        }
        #expect(successes > Self.rounds / 8 / 2)
    }

    @Test(arguments: 0..<8)
    func `a download from mirrors ends with one version or with an error`(part: Int) async {
        var breath = Breath()
        for round in 0..<Self.rounds / 8 {
            await breath.take()
            let seed = Self.firstSeed &+ UInt64(part * Self.rounds + round)
            let server = SimulatedServer(seed: seed)
            let mirrors = (1...Int(1 + seed % 3)).map {
                SimulatedServer(mirror: $0, of: server, seed: seed)
            }
            var download = SimulatedDownload(seed: seed, server: server, mirrors: mirrors)
            download.run()
            expectOneVersionOrError(download, seed)
        }
    }

    @Test(arguments: 0..<4)
    func `a download with one good mirror succeeds whatever the others do`(part: Int) async {
        var breath = Breath()
        for round in 0..<Self.rounds / 8 {
            await breath.take()
            let seed = Self.firstSeed &+ UInt64(part * Self.rounds + round)
            let server = SimulatedServer(seed: seed)
            let mirrors = [
                SimulatedServer(mirror: 1, of: server, seed: seed),
                SimulatedServer(goodMirror: 2, of: server, seed: seed),
            ]
            var download = SimulatedDownload(seed: seed, server: server, mirrors: mirrors)
            download.run()
            expectOneVersionOrError(download, seed)
            if case .failure(let error) = download.result {
                Issue.record("seed \(seed): \(error) \(download.summary)")
            }
        }
    }

    @Test(arguments: 0..<8)
    func `a target with parts gets each part in order from one transfer at a time`(
        part: Int
    ) async {
        var breath = Breath()
        var successes = 0
        for round in 0..<Self.rounds / 8 {
            await breath.take()
            let seed = Self.firstSeed &+ UInt64(part * Self.rounds + round)
            let grid = SegmentGrid(
                partBytes: [100_000, 256 * 1024, 1 << 20][Int(seed % 3)],
                mostBegunParts: [2, 8, .max][Int(seed / 3 % 3)]
            )
            let server = SimulatedServer(seed: seed)
            var download = SimulatedDownload(seed: seed, server: server, grid: grid)
            download.run()
            expectOneVersionOrError(download, seed)
            let violations = download.parts?.violations ?? []
            #expect(violations.isEmpty, "seed \(seed) \(download.summary)")
            if case .success = download.result { successes += 1 }
        }
        #expect(successes > Self.rounds / 8 / 4)
    }

    private func expectOneVersionOrError(_ download: SimulatedDownload, _ seed: UInt64) {
        let sentence: Comment = "seed \(seed): run again with PAWL_SEED=\(seed)"
        switch download.result {
        case nil: Issue.record("the download did not end; \(sentence) \(download.summary)")
        case .success(let total):
            let whole = RangeSet(ByteRange(0, total))
            #expect(download.have == whole, sentence)
            #expect(
                download.disk.values.contains(whole) || total == 0,
                "\(sentence) \(download.summary)"
            )
        case .failure(let error):
            #expect(!error.message.isEmpty, sentence)
        }
    }

    @Test func `a good server sends no byte twice except for races and ends of trials`() async {
        var breath = Breath()
        for round in 0..<300 {
            await breath.take()
            let seed = Self.firstSeed &+ UInt64(round)
            var download = SimulatedDownload(
                seed: seed,
                server: SimulatedServer(goodWithSeed: seed)
            )
            download.run()
            guard case .success(let total) = download.result else {
                Issue.record("seed \(seed): \(String(describing: download.result))")
                continue
            }
            // Bytes in flight when an end moves or a trial is rolled back, at each restart.
            let slack = Int64(download.restarts + 1) * 2 << 20
            #expect(download.received <= total + slack, "seed \(seed)")
        }
    }
}
