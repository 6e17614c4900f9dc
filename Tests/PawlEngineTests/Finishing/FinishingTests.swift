import PawlCore
import PawlTesting
import Testing

/// "Finishing", and files of unusual sizes.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct FinishingTests {
    @Test(arguments: Scene.connectionCounts)
    func `an empty file is a file`(connections: Int) async throws {
        let empty = Resource(bytes: [])
        let scene = try Scene(.resource(empty))
        let file = try await scene.download(scene.settings(connections))
        #expect(file.byteCount == 0)
        try scene.expectFile(empty)
        #expect(scene.asked.count == 1)
    }

    @Test(arguments: ["chunked", "close"], Scene.connectionCounts)
    func `an empty body of unknown length is a file`(
        framing: String,
        connections: Int
    ) async throws {
        let empty = Resource(bytes: [])
        let reply = Reply.resource(empty)
        let scene = try Scene(framing == "close" ? reply.closeDelimited : reply.chunked())
        let file = try await scene.download(scene.settings(connections))
        #expect(file.byteCount == 0)
        try scene.expectFile(empty)
    }

    @Test func `an empty file replaces a longer one`() async throws {
        let empty = Resource(bytes: [])
        let scene = try Scene(.resource(empty))
        try scene.folder.write(Scene.name, "longer than nothing")
        var settings = scene.settings(1)
        settings.ifExists = .overwrite
        try await scene.download(settings)
        try scene.expectFile(empty)
    }

    @Test(arguments: [1, 4095, 4096, 4097, 65_537, 131_073], Scene.connectionCounts)
    func `small files are whole`(size: Int64, connections: Int) async throws {
        let resource = Resource(size: size)
        let scene = try Scene(.resource(resource))
        try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
    }

    @Test(arguments: [1, 4, 16])
    func `a larger file is whole over many connections`(connections: Int) async throws {
        let resource = Resource(size: 24 << 20, seed: 3)
        let scene = try Scene(.resource(resource))
        let file = try await scene.download(scene.settings(connections))
        #expect(file.byteCount == 24 << 20)
        try scene.expectFile(resource)
    }

    @Test func `only the file remains`() async throws {
        let resource = Resource(size: Scene.size)
        let scene = try Scene()
        let settings = scene.settings(4)
        try await scene.begin(.resumed, of: resource, settings, then: .resource(resource))
        #expect(scene.folder.list().count == 2)
        try await scene.download(settings)
        #expect(scene.folder.list() == [Scene.name])
    }
}
