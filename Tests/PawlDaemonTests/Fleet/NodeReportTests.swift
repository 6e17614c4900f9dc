import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// What nodes report, and what they have taken.
@Suite(.timeLimit(.minutes(5)))
struct NodeReportTests {
    private func report(_ bytesPerSecond: Int64) -> NodeReportTable.Report {
        NodeReportTable.Report(bytesPerSecond: bytesPerSecond, connections: 3)
    }

    @Test func `each node sees the last report of each other, and old ones expire`() async throws {
        let scene = try await FleetScene()
        for speed in [100, 200] as [Int64] {
            try scene.write(as: scene.first) { try $0.nodeReports.record(report(speed)) }
        }
        try scene.write(as: scene.second) { try $0.nodeReports.record(report(7)) }
        let all = try scene.write(as: scene.second) { try $0.nodeReports.recent() }
        #expect(all == [scene.first.id: report(200), scene.second.id: report(7)])
        try await scene.queue.run("UPDATE nodeReport SET at = at - 16 WHERE bytesPerSecond = 200")
        let left = try scene.write(as: scene.second) { try $0.nodeReports.recent() }
        #expect(left == [scene.second.id: report(7)])
    }

    @Test func `the downloads of each node are counted`() async throws {
        let scene = try await FleetScene()
        for name in ["a", "b", "c", "d"] { try scene.add(name) }
        let taken = try scene.take(2, as: scene.first)
        _ = try scene.take(1, as: scene.second)
        try scene.write(as: scene.first) { transaction in
            var row = try #require(taken.first).row
            row.state = .running
            try transaction.downloads.save(row)
        }
        let work = try scene.write(as: scene.first) { try $0.nodeReports.work() }
        #expect(
            work == [
                scene.first.id: .init(downloads: 2, running: 1),
                scene.second.id: .init(downloads: 1, running: 0),
            ]
        )
    }

    @Test func `a queue that only one daemon uses has no reports`() async throws {
        let scene = try await ContractScene(.sqlite)
        try scene.store.write { try $0.nodeReports.record(report(1)) }
        let reports = try await scene.store.read { try $0.nodeReports.recent() }
        #expect(reports.isEmpty)
        let work = try await scene.store.read { try $0.nodeReports.work() }
        #expect(work.isEmpty)
        let isShared = try await scene.store.read { $0.isShared }
        #expect(!isShared)
    }
}
