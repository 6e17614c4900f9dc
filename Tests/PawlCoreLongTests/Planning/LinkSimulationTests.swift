import PawlCore
import PawlTesting
import Testing

/// Planner and governor on links that all connections share, with TCP's slow start.
@Suite(.timeLimit(.minutes(SimulationExtent.minutes)))
struct LinkSimulationTests {
    /// A link and a server.
    struct Cell: CustomTestStringConvertible {
        var megabits: Double
        var milliseconds: Int
        /// The speed of each connection in MB/s; `nil` if only the link limits it.
        var each: Double?
        /// The number of connections that the server serves.
        var limit = Int.max
        var mebibytes: Int64
        /// Whether the server sends the bytes of one second at once (nginx).
        var bursts = false
        /// The longest time that is tolerated.
        var seconds: Double

        var testDescription: String {
            "\(megabits) Mbit/s, \(milliseconds) ms, \(each ?? 0) MB/s each, \(mebibytes) MiB"
        }
    }

    private func run(
        _ cell: Cell,
        _ count: ConnectionCount = .automatic,
        seed: UInt64 = 1
    ) throws -> SimulatedDownload {
        let total = cell.mebibytes << 20
        var download = SimulatedDownload(
            seed: seed,
            server: SimulatedServer(total: total, limit: cell.limit, seed: seed),
            connections: count,
            mayBeKilled: false,
            link: SimulatedLink(
                bytesPerSecond: cell.megabits * 125_000,
                roundTrip: .milliseconds(cell.milliseconds),
                perConnection: cell.each.map { $0 * 1e6 } ?? .infinity,
                burst: cell.bursts ? .seconds(1) : .zero
            )
        )
        download.run()
        #expect(try #require(download.result).get() == total)
        return download
    }

    @Test(arguments: [1, 2])
    func `a limit that rises is noticed at the next attempt`(limit: Int) throws {
        let total: Int64 = 200 << 20
        var server = SimulatedServer(total: total, limit: limit, seed: 1)
        server.laterLimit = (.zero + .seconds(3), 8)
        var download = SimulatedDownload(
            seed: 1,
            server: server,
            connections: .automatic,
            mayBeKilled: false,
            link: SimulatedLink(
                bytesPerSecond: 125e6,
                roundTrip: .milliseconds(1),
                perConnection: 2e6
            )
        )
        download.run()
        #expect(try #require(download.result).get() == total)
        #expect(download.mostConnections >= 8)
        #expect(download.elapsed.seconds < 25)
    }

    @Test(arguments: [
        // One connection takes 2.2, 1.1 and 2.2 s.
        Cell(megabits: 1000, milliseconds: 1, each: 4, mebibytes: 8, seconds: 0.6),
        Cell(megabits: 1000, milliseconds: 1, each: 4, mebibytes: 4, seconds: 0.5),
        Cell(megabits: 1000, milliseconds: 20, each: 4, mebibytes: 8, seconds: 0.8),
    ])
    func `a small file gets several connections if the server limits each`(
        cell: Cell
    ) throws {
        let download = try run(cell)
        #expect(download.elapsed.seconds < cell.seconds)
        #expect(download.mostConnections > 2)
    }

    @Test(arguments: [
        Cell(megabits: 95, milliseconds: 1, mebibytes: 28, seconds: 2.6),
        Cell(megabits: 95, milliseconds: 1, mebibytes: 8, seconds: 0.8),
        Cell(megabits: 48, milliseconds: 19, mebibytes: 13, seconds: 2.5),
        Cell(megabits: 100, milliseconds: 20, mebibytes: 12, seconds: 1.17),
        Cell(megabits: 300, milliseconds: 20, mebibytes: 86, seconds: 2.65),
    ])
    func `a trial on a link that one connection fills ends without cost`(cell: Cell) throws {
        let download = try run(cell)
        let alone = try run(cell, .fixed(1))
        #expect(download.elapsed.seconds < alone.elapsed.seconds * 1.05)
        #expect(download.elapsed.seconds < cell.seconds)
        // The first connection, and the one piece of the trial.
        #expect(download.opened == 2)
        #expect(download.closedWhileReceiving == 0)
        // What is on its way to the first connection when it ends.
        #expect(download.received < cell.mebibytes << 20 + 1 << 20)
    }

    @Test(arguments: [
        // One connection takes 3.0, 3.7, 4.7 and 8.9 s.
        Cell(
            megabits: 101,
            milliseconds: 42,
            each: 1.1,
            limit: 2,
            mebibytes: 4,
            bursts: true,
            seconds: 1.3
        ),
        Cell(
            megabits: 1053,
            milliseconds: 1,
            each: 8.3,
            limit: 2,
            mebibytes: 37,
            bursts: true,
            seconds: 0.7
        ),
        Cell(megabits: 1053, milliseconds: 1, each: 8.3, limit: 2, mebibytes: 37, seconds: 2.6),
        Cell(megabits: 1055, milliseconds: 20, each: 3.9, limit: 4, mebibytes: 33, seconds: 2.8),
    ])
    func `a refused trial costs little time, and is one of few`(cell: Cell) throws {
        let download = try run(cell)
        #expect(download.elapsed.seconds < cell.seconds)
        #expect(download.refusals < 3)
        #expect(download.closedWhileReceiving == 0)
    }
}
