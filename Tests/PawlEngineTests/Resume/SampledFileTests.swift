import PawlCore
import PawlTesting
import Testing

/// A finished file is recognized without validators: by its URL, its length and two samples.
@Suite(.timeLimit(.minutes(1)), .inTurn)
struct SampledFileTests {
    private func bare(seed: UInt64 = 1) -> Resource {
        var resource = Resource(size: Scene.size, seed: seed)
        (resource.entityTag, resource.lastModified) = (nil, nil)
        return resource
    }

    @Test(arguments: Scene.connectionCounts)
    func `repeating a command fetches two samples`(connections: Int) async throws {
        let scene = try Scene(.resource(bare()))
        try await scene.download(scene.settings(connections))
        // A download that read the whole body would wait forever.
        scene.serve(
            .resource(bare()).stallAfterBytes(1000).forRanges(.resource(bare()))
        )
        scene.forgetRequests()
        let file = try await scene.download(scene.settings(connections))
        #expect(file.wasAlreadyThere)
        try scene.expectFile(bare())
        let samples = scene.asked.dropFirst().compactMap { $0.range?.resolve(size: Scene.size) }
        #expect(samples.map(\.count) == [65_536, 65_536])
        #expect(samples.last?.end == Scene.size)
    }

    @Test func `a file whose bytes have changed on the server is fetched`() async throws {
        let scene = try Scene(.resource(bare()))
        try await scene.download(scene.settings(1))
        scene.serve(.resource(bare(seed: 7)))
        let file = try await scene.download(scene.settings(1))
        #expect(!file.wasAlreadyThere)
        #expect(file.path == scene.folder.path("disk.1.bin"))
        try scene.expectFile(bare(seed: 7), name: "disk.1.bin", besides: [Scene.name])
    }

    @Test func `a file of another URL, or one that was edited, proves nothing`() async throws {
        let scene = try Scene(.resource(bare()))
        scene.origin.route("/b/disk.bin", .resource(bare()))
        try await scene.download(scene.settings(1))
        scene.forgetRequests()
        try await scene.download(scene.settings(1), from: "/b/disk.bin")
        #expect(scene.asked.count == 1)
        try scene.expectFile(bare(), name: "disk.1.bin", besides: [Scene.name])
        try scene.folder.write(Scene.name, bare(seed: 3).bytes())
        scene.forgetRequests()
        try await scene.download(scene.settings(1))
        #expect(scene.asked.count == 1)
        try scene.expectFile(bare(), name: "disk.2.bin", besides: ["disk.1.bin", Scene.name])
    }

    @Test func `a server without ranges is asked for the whole file`() async throws {
        let scene = try Scene(.resource(bare()))
        try await scene.download(scene.settings(1))
        scene.serve(.resource(bare()).forRanges(.status(500)))
        let file = try await scene.download(scene.settings(1))
        #expect(!file.wasAlreadyThere, "nothing proves it")
        try scene.expectFile(bare(), name: "disk.1.bin", besides: [Scene.name])
    }
}
