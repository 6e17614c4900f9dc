import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DownloadOrderTests {
    private func ids(
        _ part: DownloadOrder.Part,
        _ offset: Int,
        _ count: Int,
        _ scene: StoreScene
    ) async throws -> [Int64] {
        try await scene.store.read {
            try $0.order.downloads(part, offset: offset, count: count).map(\.id)
        }
    }

    @Test func `waiting downloads are listed as they start, from both ends`() async throws {
        let scene = try StoreScene()
        for name in ["a", "b", "c", "d", "e"] { try scene.add(name) }
        try scene.put(2, into: .running, .started)
        try scene.store.write { transaction in
            guard var last = try transaction.downloads.find(5),
                var first = try transaction.downloads.find(1)
            else { return }
            last.priority = .high
            first.position = 10
            try transaction.downloads.save(last)
            try transaction.downloads.save(first)
        }
        #expect(try await scene.store.read { try $0.order.waiting() }.first == 5)
        let all = try await ids(.waiting, 0, 100, scene)
        #expect(all == (try await scene.store.read { try $0.order.waiting() }))
        #expect(all.first == 5 && all.last == 1 && !all.contains(2))
        let positions = try await scene.store.read { transaction in
            [WirePriority.high, .normal, .low].map { try? transaction.order.positions(of: $0) }
        }
        #expect(positions == [0..<1, 1..<4, 4..<4])
        #expect(try await ids(.waiting, 1, 1, scene) == [all[1]])
        #expect(try await ids(.waiting, -1, 2, scene) == [all[3], all[2]])
        #expect(try await ids(.waiting, -2, 1, scene) == [all[2]])
        #expect(try await ids(.waiting, 9, 1, scene).isEmpty)
        #expect(try await ids(.waiting, 0, -5, scene).isEmpty)
        #expect(try await ids(.waiting, Int.min, 5, scene).isEmpty)
        #expect(try await scene.store.read { try $0.order.running().map(\.id) } == [2])
        #expect(try await ids(.ended, 0, 5, scene).isEmpty)
    }
}
