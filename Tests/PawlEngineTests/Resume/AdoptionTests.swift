import Glibc
import PawlCore
import PawlTesting
import Testing

/// Another tool's partial file, which the user wants to resume.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct AdoptionTests {
    private let resource = Resource(size: Scene.size)
    private let partial = Scene.name + ".part"
    private let count: Int64 = 400_000

    private func settings(_ scene: Scene, _ connections: Int) throws -> DownloadSettings {
        var settings = scene.settings(connections)
        settings.checksum = .digest(try #require(resource.digest(.sha256)))
        settings.adoptsPartialFile = true
        return settings
    }

    private func leave(_ bytes: [UInt8], in scene: Scene) throws {
        try scene.folder.write(partial, bytes)
    }

    private var beginning: [UInt8] { Array(resource.bytes().prefix(Int(count))) }

    @Test(arguments: Scene.connectionCounts)
    func `adopted bytes are not requested again`(connections: Int) async throws {
        let scene = try Scene(.resource(resource))
        try leave(beginning, in: scene)
        let file = try await scene.download(try settings(scene, connections))
        try scene.expectFile(resource)
        #expect(file.verifiedDigest == (resource.digest(.sha256)))
        #expect(scene.asked.allSatisfy { ($0.range?.first ?? 0) >= count })
    }

    @Test func `without the setting another tool's partial file is left alone`() async throws {
        let scene = try Scene(.resource(resource))
        try leave(beginning, in: scene)
        var settings = try settings(scene, 1)
        settings.adoptsPartialFile = false
        try await scene.download(settings)
        try scene.expectFile(resource, besides: [partial])
        #expect(try scene.folder.read(partial) == beginning)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `another user's partial file is not adopted`() async throws {
        let scene = try Scene(.resource(resource))
        try leave(beginning, in: scene)
        #expect(chown(scene.folder.path(partial), 65_534, 65_534) == 0)
        try await scene.download(try settings(scene, 1))
        try scene.expectFile(resource, besides: [partial])
        #expect(try scene.folder.read(partial) == beginning)
    }

    /// The other name may be in a folder where nothing may be written.
    @Test func `a partial file with another name is not adopted`() async throws {
        let scene = try Scene(.resource(resource))
        let other = try scene.folder.write("other", beginning)
        link(other, scene.folder.path(partial))
        try await scene.download(try settings(scene, 1))
        try scene.expectFile(resource, besides: ["other", partial])
        #expect(try scene.folder.read("other") == beginning)
    }

    @Test func `an adopted file that is whole is only verified`() async throws {
        let scene = try Scene(.resource(resource))
        try leave(resource.bytes(), in: scene)
        try await scene.download(try settings(scene, 4))
        try scene.expectFile(resource)
        #expect(scene.asked.map(\.status) == [416])
    }

    @Test func `wrong adopted bytes never get the name`() async throws {
        let scene = try Scene(.resource(resource))
        var bytes = beginning
        bytes[1000] ^= 1
        try leave(bytes, in: scene)
        let settings = try settings(scene, 1)
        let error = try await scene.failure(settings)
        #expect(error.code == .checksumMismatch)
        #expect(error.advice.contains("adopted"))
        #expect(scene.folder.list() == [Scene.name + ".corrupt"])
        try await scene.download(settings)
        try scene.expectFile(resource, besides: [Scene.name + ".corrupt"])
    }

    @Test(arguments: [Reply.status(503), .status(404), .hangUp(.reset)])
    func `an adopted file stays as it was if nothing arrives`(reply: Reply) async throws {
        let scene = try Scene(reply)
        try leave(beginning, in: scene)
        var settings = try settings(scene, 4)
        settings.retries = 0
        _ = try await scene.failure(settings)
        #expect(scene.folder.list() == [partial])
        #expect(try scene.folder.read(partial) == beginning)
    }

    @Test(arguments: [true, false])
    func `an adopted file longer than the source is refused and kept`(
        hasRanges: Bool
    ) async throws {
        let scene = try Scene(hasRanges ? .resource(resource) : .resource(resource).ignoreRange)
        let long = resource.bytes() + [1, 2, 3]
        try leave(long, in: scene)
        let error = try await scene.failure(try settings(scene, 4))
        #expect(error.code == .checksumMismatch)
        #expect(error.message.contains("does not match"))
        #expect(scene.folder.list() == [partial])
        #expect(try scene.folder.read(partial) == long)
    }

    @Test func `a server without ranges sends everything, and adopted bytes are skipped`()
        async throws
    {
        let scene = try Scene(.resource(resource).ignoreRange)
        try leave(beginning, in: scene)
        let running = try scene.start(try settings(scene, 4))
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(!running.log.says("starting over"))
    }

    @Test(arguments: Scene.connectionCounts)
    func `after a stop every later run requires the digest of adopted bytes`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        var bytes = beginning
        bytes[1000] ^= 1
        try leave(bytes, in: scene)
        let latch = Latch()
        scene.serve(.resource(resource).holdAfterBytes(10_000, until: latch))
        let running = try scene.start(try settings(scene, connections))
        await latch.waitForArrivals(connections)
        await running.waitForBytes(count + 10_000)
        running.cancel()
        _ = try? await running.file()
        #expect(scene.folder.list() == [partial, partial + ".pawl"])
        scene.serve(.resource(resource))
        let error = try await scene.failure(scene.settings(connections))
        #expect(error.code == .checksumMismatch)
        #expect(scene.folder.list() == [Scene.name + ".corrupt"])
    }
}
