import PawlCore
import PawlTesting
import Testing

/// Planner and governor with a reader that takes the bytes in order while they are received.
@Suite(.timeLimit(.minutes(SimulationExtent.minutes)))
struct ReaderSimulationTests {
    private static let window: Int64 = 8 << 20
    private static let total: Int64 = 64 << 20
    /// The longest piece that a connection of the simulation receives at once.
    private static let piece: Int64 = 1 << 20

    private func run(
        _ seed: UInt64,
        _ count: ConnectionCount,
        reading bytesPerSecond: Int64,
        limit: Int = .max
    ) -> SimulatedDownload {
        let server = SimulatedServer(total: Self.total, limit: limit, seed: seed)
        var download = SimulatedDownload(
            seed: seed,
            server: server,
            connections: count,
            mayBeKilled: false,
            reader: .init(window: Self.window, bytesPerSecond: bytesPerSecond)
        )
        download.run()
        return download
    }

    @Test(arguments: [.automatic, .fixed(1), .fixed(4), .fixed(16)] as [ConnectionCount])
    func `no connection runs further ahead of a slow reader than the window`(
        count: ConnectionCount
    ) async throws {
        var breath = Breath()
        for seed in 0..<5 as Range<UInt64> {
            await breath.take()
            let download = run(seed, count, reading: 3_000_000)
            #expect(try #require(download.result).get() == Self.total, "seed \(seed)")
            #expect(download.mostUnread <= Self.window + Self.piece, "seed \(seed)")
        }
    }

    @Test func `several connections are as fast as without a reader`() async throws {
        var breath = Breath()
        for seed in 0..<5 as Range<UInt64> {
            await breath.take()
            let download = run(seed, .fixed(4), reading: 1_000_000_000)
            #expect(try #require(download.result).get() == Self.total, "seed \(seed)")
            let ideal = Double(Self.total) / 4 / 1e6
            #expect(download.elapsed.seconds < ideal * 1.25 + 2, "seed \(seed)")
        }
    }

    @Test func `a server that serves two connections is read to the end`() async throws {
        var breath = Breath()
        for seed in 0..<5 as Range<UInt64> {
            await breath.take()
            let download = run(seed, .fixed(8), reading: 1_000_000_000, limit: 2)
            #expect(try #require(download.result).get() == Self.total, "seed \(seed)")
            let ideal = Double(Self.total) / 2 / 1e6
            #expect(download.elapsed.seconds < ideal * 1.25 + 2, "seed \(seed)")
        }
    }
}
