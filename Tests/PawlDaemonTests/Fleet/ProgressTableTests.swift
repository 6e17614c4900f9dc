import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// The progress that nodes exchange.
@Suite(.timeLimit(.minutes(5)))
struct ProgressTableTests {
    private func row(_ id: Int64, _ bytes: Int64) -> ProgressTable.Row {
        ProgressTable.Row(
            session: "films",
            WireProgress.Row(id: id, name: "disk.iso", completedBytes: bytes)
        )
    }

    private func ofOthers(_ node: StoreNode, _ scene: FleetScene) throws -> [ProgressTable.Row] {
        try scene.write(as: node) { try $0.progress.ofOthers() }
    }

    @Test func `a node sees the progress of others, and not its own`() async throws {
        let scene = try await FleetScene()
        try scene.write(as: scene.first) { try $0.progress.set([row(2, 20), row(1, 10)]) }
        #expect(try ofOthers(scene.second, scene) == [row(1, 10), row(2, 20)])
        #expect(try ofOthers(scene.first, scene).isEmpty)
        try scene.write(as: scene.first) { try $0.progress.set([row(2, 30)]) }
        #expect(try ofOthers(scene.second, scene) == [row(2, 30)])
        // Another node runs the download now.
        try scene.write(as: scene.second) { try $0.progress.set([row(2, 40)]) }
        #expect(try ofOthers(scene.first, scene) == [row(2, 40)])
        #expect(try ofOthers(scene.second, scene).isEmpty)
    }

    @Test func `old progress is not shown`() async throws {
        let scene = try await FleetScene()
        try scene.write(as: scene.first) { try $0.progress.set([row(1, 10)]) }
        try await scene.queue.run("UPDATE progress SET at = at - 60")
        #expect(try ofOthers(scene.second, scene).isEmpty)
    }

    @Test func `progress is wanted while somebody reads on another node`() async throws {
        let scene = try await FleetScene()
        func isRead(_ node: StoreNode) throws -> Bool {
            try scene.write(as: node) { try $0.progress.isRead() }
        }
        #expect(try !isRead(scene.first))
        try scene.write(as: scene.second) { try $0.progress.noteReader() }
        #expect(try isRead(scene.first))
        #expect(try !isRead(scene.second))
        try await scene.queue.run("UPDATE progressReader SET until = until - 60")
        #expect(try !isRead(scene.first))
    }
}
