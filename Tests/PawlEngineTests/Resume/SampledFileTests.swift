import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// A finished file is recognized without validators: by its URL, its length and two samples.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct SampledFileTests {
    private func bare(_ size: Int64 = Scene.size, seed: UInt64 = 1) -> Resource {
        var resource = Resource(size: size, seed: seed)
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

    @Test(arguments: [true, false])
    func `if the host has no other connection, the samples use the one of the response`(
        isSame: Bool
    ) async throws {
        let scene = try Scene(.resource(bare()))
        try await scene.download(scene.settings(1))
        let now = bare(seed: isSame ? 1 : 7)
        scene.serve(.resource(now))
        scene.forgetRequests()
        var limits = EngineSettings()
        limits.connectionsPerHost = 1
        let file = try await scene.download(scene.settings(1), by: EngineProcess(limits))
        #expect(file.wasAlreadyThere == isSame)
        #expect(scene.asked.contains { $0.status == 206 })
        guard !isSame else { return try scene.expectFile(now) }
        try scene.expectFile(now, name: "disk.1.bin", besides: [Scene.name])
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

    @Test(arguments: [0, 100, 65_536] as [Int64])
    func `a small file is compared as a whole, without samples`(size: Int64) async throws {
        let scene = try Scene(.resource(bare(size)))
        try await scene.download(scene.settings(1))
        scene.forgetRequests()
        let file = try await scene.download(scene.settings(1))
        #expect(file.wasAlreadyThere)
        #expect(scene.asked.count == 1)
        try scene.expectFile(bare(size))
        guard size > 0 else { return }
        scene.serve(.resource(bare(size, seed: 7)))
        let changed = try await scene.download(scene.settings(1))
        #expect(!changed.wasAlreadyThere)
        try scene.expectFile(bare(size, seed: 7), name: "disk.1.bin", besides: [Scene.name])
    }

    @Test func `a small file of another URL proves nothing`() async throws {
        let scene = try Scene(.resource(bare(100)))
        scene.origin.route("/b/disk.bin", .resource(bare(100)))
        try await scene.download(scene.settings(1))
        try await scene.download(scene.settings(1), from: "/b/disk.bin")
        try scene.expectFile(bare(100), name: "disk.1.bin", besides: [Scene.name])
    }

    /// Two files of one name, length and date, and with an entity tag of these alone.
    @Test(arguments: [100, 300_000, Scene.size] as [Int64], [true, false])
    func `validators of another URL's file do not prove that it is the same`(
        size: Int64,
        isOverwriting: Bool
    ) async throws {
        let one = Resource(size: size, seed: 1)
        var other = Resource(size: size, seed: 7)
        (other.entityTag, other.lastModified) = (one.entityTag, one.lastModified)
        let scene = try Scene(.resource(one))
        scene.origin.route("/b/disk.bin", .resource(other))
        var settings = scene.settings(1)
        if isOverwriting { settings.ifExists = .overwrite }
        try await scene.download(settings)
        let file = try await scene.download(settings, from: "/b/disk.bin")
        #expect(!file.wasAlreadyThere)
        guard !isOverwriting else { return try scene.expectFile(other) }
        try scene.expectFile(one, besides: ["disk.1.bin"])
        try scene.expectFile(other, name: "disk.1.bin", besides: [Scene.name])
    }

    @Test(arguments: [100, 300_000] as [Int64])
    func `two files with equal validators that finish together are kept`(size: Int64) async throws {
        let one = Resource(size: size, seed: 1)
        var other = Resource(size: size, seed: 7)
        (other.entityTag, other.lastModified) = (one.entityTag, one.lastModified)
        let latch = Latch()
        let scene = try Scene(.resource(one).holdAfterBytes(size - 10, until: latch))
        scene.origin.route("/b/disk.bin", .resource(other).holdAfterBytes(size - 10, until: latch))
        let process = EngineProcess()
        let first = try scene.start(scene.settings(1), by: process)
        let second = try scene.start(scene.settings(1), from: "/b/disk.bin", by: process)
        await latch.waitForArrivals(2)
        latch.release()
        _ = try await first.file()
        _ = try await second.file()
        #expect(scene.folder.list() == ["disk.1.bin", Scene.name])
        let contents = Set(try [Scene.name, "disk.1.bin"].map { try scene.folder.read($0) })
        #expect(contents == [one.bytes(), other.bytes()])
    }

    @Test(arguments: [100, Scene.size] as [Int64])
    func `another URL's file with equal validators and samples is the same`(
        size: Int64
    ) async throws {
        let resource = Resource(size: size)
        let scene = try Scene(.resource(resource))
        scene.origin.route("/b/disk.bin", .resource(resource))
        try await scene.download(scene.settings(1))
        scene.forgetRequests()
        let file = try await scene.download(scene.settings(1), from: "/b/disk.bin")
        #expect(file.wasAlreadyThere)
        #expect(scene.asked.count { $0.range != nil } == (size > 100 ? 2 : 0))
        try scene.expectFile(resource)
    }

    @Test func `a stop during the comparison begins no other file`() async throws {
        let scene = try Scene(.resource(bare()))
        try await scene.download(scene.settings(1))
        let latch = Latch()
        let held = Reply.resource(bare()).holdAfterBytes(1000, until: latch)
        scene.serve(.resource(bare()).stallAfterBytes(1000).forRanges(held))
        let running = try scene.start(scene.settings(1))
        await latch.waitForArrivals()
        running.cancel()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .interrupted)
        #expect(running.monitor.progress.name == Scene.name)
        try scene.expectFile(bare())
    }

    @Test func `the bytes of a run that could not compare are removed by one that can`()
        async throws
    {
        let scene = try Scene(.resource(bare()))
        try await scene.download(scene.settings(1))
        let held = Reply.resource(bare()).holdAfterBytes(Scene.heldBytes, until: Latch())
        scene.serve(held.forRanges(.status(500)))
        let running = try scene.start(scene.settings(1))
        await running.waitForBytes(Scene.heldBytes)
        running.cancel()
        await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(
            scene.folder.list() == ["disk.1.bin.part", "disk.1.bin.part.pawl", Scene.name].sorted()
        )
        scene.serve(.resource(bare()))
        let file = try await scene.download(scene.settings(1))
        #expect(file.wasAlreadyThere)
        try scene.expectFile(bare())
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
