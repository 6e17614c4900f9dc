import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// What a node learns of commands for its downloads that another node has received.
@Suite(.timeLimit(.minutes(5)))
struct CommandTableTests {
    private func changes(_ scene: FleetScene) async throws -> String {
        try await scene.queue.run(
            "SELECT coalesce(max(value), 0) FROM counter WHERE name = 'downloads'"
        )
    }

    @Test func `a command for a download of another node is noted, one for an own is not`()
        async throws
    {
        let scene = try await FleetScene()
        let id = try scene.add("a")
        try scene.write(as: scene.second) { try $0.commands.note([id]) }
        #expect(try await changes(scene) == "0\n", "nobody has it yet")
        #expect(try scene.take(1, as: scene.first).map(\.row.id) == [id])
        try scene.write(as: scene.first) { try $0.commands.note([id]) }
        #expect(try await changes(scene) == "0\n")
        try scene.write(as: scene.second) { try $0.commands.note([id, 77]) }
        #expect(try await changes(scene) == "1\n")
    }

    @Test func `a command for a download whose file another node has is noted`() async throws {
        let scene = try await FleetScene()
        let id = try scene.add("a", home: scene.first)
        try scene.write(as: scene.first) { try $0.commands.note([id]) }
        #expect(try await changes(scene) == "0\n")
        try scene.write(as: scene.second) { try $0.commands.note([id]) }
        #expect(try await changes(scene) == "1\n")
    }

    @Test func `only the node that has not taken a download sees it elsewhere`() async throws {
        let scene = try await FleetScene()
        let id = try scene.add("a")
        func isElsewhere(_ node: StoreNode) throws -> Bool {
            try scene.write(as: node) { try $0.commands.isElsewhere(id) }
        }
        #expect(try !isElsewhere(scene.first))
        _ = try scene.take(1, as: scene.first)
        #expect(try !isElsewhere(scene.first))
        #expect(try isElsewhere(scene.second))
    }

    @Test func `a run is asked once to start again, by other nodes only`() async throws {
        let scene = try await FleetScene()
        let id = try scene.add("a")
        let taken = try scene.take(1, as: scene.first)
        func row(_ node: StoreNode) throws -> CommandTable.Row? {
            try scene.write(as: node) { try $0.commands.rows(of: [id])[id] }
        }
        try scene.write(as: scene.first) { try $0.commands.restart([id]) }
        #expect(try row(scene.first)?.restarts == false)
        try scene.write(as: scene.second) { try $0.commands.restart([id]) }
        #expect(try row(scene.first)?.restarts == true)
        #expect(try row(scene.first)?.isOwn == true)
        #expect(try row(scene.second)?.isOwn == false)
        // The next run has another epoch.
        try scene.write(as: scene.first) { try $0.ownership.giveBack(taken.map(\.row.id)) }
        _ = try scene.take(1, as: scene.first)
        #expect(try row(scene.first)?.restarts == false)
        try scene.write(as: scene.second) { try $0.downloads.delete(id) }
        #expect(try row(scene.first) == nil)
    }

    @Test func `a node finds the removals of its own files only`() async throws {
        let scene = try await FleetScene()
        let removal = Removal(objectKept: "s3://bucket/a")
        let id = try scene.add("a", home: scene.first)
        _ = try scene.write(as: scene.second) { transaction in
            try transaction.intentions.add(.remove(removal), for: id, root: nil)
        }
        func count(_ node: StoreNode) throws -> Int {
            try scene.write(as: node) { try $0.commands.removals().count }
        }
        #expect(try count(scene.first) == 1)
        #expect(try count(scene.second) == 0)
    }
}
