import PawlCore
import PawlTesting
import Testing

/// Planner and governor against servers with a connection limit, and against outages.
@Suite(.timeLimit(.minutes(SimulationExtent.minutes)))
struct LimitSimulationTests {
    /// The divisor of the number of seeds: the checks run a quarter of what `scripts/lab
    /// simulation` runs.
    private static let share: UInt64 = SimulationExtent.wanted == nil ? 4 : 1
    private static let counts: [ConnectionCount] = [.automatic, .fixed(4), .fixed(8), .fixed(16)]

    /// Runs a download, which must get the whole file.
    private func complete(
        _ server: SimulatedServer,
        _ total: Int64,
        _ connections: ConnectionCount,
        _ seed: UInt64,
        mirrors: [SimulatedServer] = []
    ) throws -> SimulatedDownload {
        var download = SimulatedDownload(
            seed: seed,
            server: server,
            mirrors: mirrors,
            connections: connections,
            mayBeKilled: false
        )
        download.run()
        #expect(try #require(download.result).get() == total, "seed \(seed)")
        return download
    }

    @Test(arguments: 1...6, counts)
    func `a limit costs little time and closes no connection that receives bytes`(
        limit: Int,
        count: ConnectionCount
    ) async {
        var breath = Breath()
        let total: Int64 = 64 << 20
        for seed in 0..<20 / Self.share {
            await breath.take()
            let server = SimulatedServer(total: total, limit: limit, seed: seed)
            var download = SimulatedDownload(
                seed: seed,
                server: server,
                connections: count,
                mayBeKilled: false
            )
            download.run()
            let served = min(limit, count.fixedNumber ?? limit)
            let ideal = Double(total) / Double(served) / 1e6
            #expect(download.elapsed.seconds < ideal * 1.2 + 2, "seed \(seed)")
            if count != .automatic { #expect(download.closedWhileReceiving <= 2, "seed \(seed)") }
            // One burst, then attempts after 5, 10, 20 and 40 s, and connections that replace
            // others.
            #expect(download.refusals <= 40, "seed \(seed)")
        }
    }

    @Test(arguments: [4, 8, 16])
    func `all connections have work until the last twentieth of a download`(
        count: Int
    ) async throws {
        var breath = Breath()
        let total: Int64 = 256 << 20
        for seed in 0..<20 / Self.share {
            await breath.take()
            let server = SimulatedServer(total: total, limit: .max, seed: seed)
            let download = try complete(server, total, .fixed(count), seed)
            #expect(download.mostConnections == count)
            #expect(download.tail.seconds < download.elapsed.seconds / 20, "seed \(seed)")
        }
    }

    @Test(arguments: 2...6)
    func `a limit of requests per second costs little time`(rate: Int) async throws {
        var breath = Breath()
        let total: Int64 = 64 << 20
        for seed in 0..<20 / Self.share {
            await breath.take()
            var server = SimulatedServer(total: total, limit: .max, seed: seed)
            server.requestsPerSecond = rate
            let download = try complete(server, total, .fixed(8), seed)
            // Those of the first second are served.
            let ideal = Double(total) / Double(rate) / 1e6
            #expect(download.elapsed.seconds < ideal * 1.2 + 2, "seed \(seed)")
            #expect(download.closedWhileReceiving <= 2, "seed \(seed)")
        }
    }

    @Test(arguments: 2...6)
    func `a limit of an address applies to two sources together`(limit: Int) async throws {
        var breath = Breath()
        let total: Int64 = 64 << 20
        for seed in 0..<20 / Self.share {
            await breath.take()
            var server = SimulatedServer(total: total, limit: limit, seed: seed)
            server.limitsAddress = true
            let download = try complete(server, total, .fixed(8), seed, mirrors: [server])
            let ideal = Double(total) / Double(limit) / 1e6
            #expect(download.elapsed.seconds < ideal * 1.3 + 3, "seed \(seed)")
        }
    }

    @Test(arguments: [12, 64] as [Int64], [4, 8])
    func `two connections receive a file whose other requests are never answered`(
        mebibytes: Int64,
        count: Int
    ) async {
        var breath = Breath()
        let total = mebibytes << 20
        for seed in 0..<40 / Self.share {
            await breath.take()
            var server = SimulatedServer(total: total, limit: .max, seed: seed)
            server.answered = 2
            var download = SimulatedDownload(
                seed: seed,
                server: server,
                connections: .fixed(count),
                mayBeKilled: false
            )
            download.run()
            let ideal = Double(total) / 2 / 1e6
            #expect(download.elapsed.seconds < ideal * 1.2 + 2, "seed \(seed)")
        }
    }

    @Test(arguments: counts)
    func `a download is as fast after an outage as before`(count: ConnectionCount) async {
        var breath = Breath()
        let total: Int64 = 96 << 20
        for seed in 0..<40 / Self.share {
            await breath.take()
            // From shorter than a retry's wait to longer than a trial of the governor.
            let lasts = Duration.milliseconds([100, 700, 3000, 10_000][Int(seed % 4)])
            let begin = Moment.zero + .seconds(4)
            func run(_ outage: Range<Moment>?) -> SimulatedDownload {
                let server = SimulatedServer(total: total, limit: .max, outage: outage, seed: seed)
                var download = SimulatedDownload(
                    seed: seed,
                    server: server,
                    connections: count,
                    mayBeKilled: false
                )
                download.run()
                if case .success(total) = download.result {
                } else {
                    Issue.record("seed \(seed): \(String(describing: download.result))")
                }
                return download
            }
            let broken = run(begin..<begin + lasts)
            guard let again = broken.answeredAgainAt else { continue }
            // The outage and the wait before the answered retry; the difference is the time to
            // reopen.
            let opening = (broken.elapsed - (again - begin) - run(nil).elapsed).seconds
            #expect(opening < (count == .automatic ? 3 : 1), "seed \(seed), an outage of \(lasts)")
        }
    }
}

extension ConnectionCount {
    fileprivate var fixedNumber: Int? { if case .fixed(let number) = self { number } else { nil } }
}
