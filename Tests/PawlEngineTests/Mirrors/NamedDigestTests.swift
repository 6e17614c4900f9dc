import PawlCore
import PawlTesting
import Testing

/// The digest that a server or a checksum file has named counts for every later source.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct NamedDigestTests {
    private let resource = Resource(size: Scene.size)
    private let corrupt = Scene.name + ".corrupt"

    /// The bytes that the first server sends, although it names the digest of the right ones.
    private let wrong = Resource(size: Scene.size, seed: 2)
    private let other = Resource(size: Scene.size, seed: 3)

    /// How the download gets the digest and its second source.
    enum Way: CaseIterable, Sendable { case duplicate, mirror, checksumFile }

    /// What the second source has.
    enum Lie: CaseIterable, Sendable { case otherSize, otherBytes, ownDigest, nothing }

    private func naming(_ resource: Resource, _ reply: Reply) throws -> Reply {
        let text = try #require(resource.digest(.sha256)).bytes.base64
        return reply.setting("Repr-Digest", "sha-256=:\(text):")
    }

    /// The right file of another server.
    private var copy: Resource {
        var copy = resource
        (copy.entityTag, copy.lastModified) = ("\"own\"", nil)
        return copy
    }

    private func scene(_ way: Way, mirror: Reply) throws -> (MirrorScene, DownloadSettings) {
        let both = try MirrorScene(.resource(wrong), mirror: mirror)
        var settings = try both.settings(1)
        switch way {
        case .duplicate:
            settings.mirrors = []
            let link = "<\(both.mirror.url(Scene.path))>; rel=duplicate"
            both.scene.serve(try naming(resource, .resource(wrong)).setting("Link", link))
        case .mirror: both.scene.serve(try naming(resource, .resource(wrong)))
        case .checksumFile:
            settings.checksum = .automatic
            let digest = try #require(resource.digest(.sha256)).hexadecimal
            let list = Resource(text: "\(digest)  \(Scene.name)\n")
            both.scene.origin.route("\(Scene.path).sha256", .resource(list))
        }
        return (both, settings)
    }

    @Test(arguments: Way.allCases, Lie.allCases)
    func `a source with another file ends in the error of the checksum`(
        way: Way,
        lie: Lie
    ) async throws {
        let reply: Reply =
            switch lie {
            case .otherSize: .resource(Resource(size: 6, seed: 3))
            case .otherBytes: .resource(other)
            case .ownDigest: try naming(other, .resource(other))
            case .nothing: .status(404)
            }
        let (both, settings) = try scene(way, mirror: reply)
        let error = try await both.scene.failure(settings)
        #expect(error.code == .checksumMismatch)
        #expect(error.advice.contains(corrupt))
        #expect(!both.asked.isEmpty)
        // Only bytes that could be those of the file replace the first ones.
        try both.scene.expectFile(lie == .otherBytes ? other : wrong, name: corrupt)
    }

    @Test(arguments: Way.allCases)
    func `a source with the right file is verified`(way: Way) async throws {
        let (both, settings) = try scene(way, mirror: .resource(copy))
        let file = try await both.scene.download(settings)
        #expect(file.verifiedDigest == resource.digest(.sha256))
        try both.scene.expectFile(resource)
    }

    @Test(arguments: [true, false])
    func `a source that replaces one that has vanished needs the same digest`(
        isRight: Bool
    ) async throws {
        let both = try MirrorScene(.status(404), mirror: .resource(isRight ? copy : other))
        let first = try naming(resource, .resource(resource)).afterBytes(300_000, .reset)
        both.scene.serve(first.from(request: 2, .status(404)))
        guard isRight else {
            let error = try await both.scene.failure(both.settings(1))
            #expect(error.code == .checksumMismatch)
            return try both.scene.expectFile(other, name: corrupt)
        }
        let file = try await both.scene.download(both.settings(1))
        #expect(file.verifiedDigest == resource.digest(.sha256))
        try both.scene.expectFile(resource)
    }

    @Test func `a first server whose file has changed names another digest`() async throws {
        let both = try MirrorScene(.status(404), mirror: .resource(other))
        let first = try naming(resource, .resource(resource)).afterBytes(300_000, .reset)
        both.scene.serve(first.from(request: 2, try naming(other, .resource(other))))
        let file = try await both.scene.download(both.settings(1))
        #expect(file.verifiedDigest == other.digest(.sha256))
        try both.scene.expectFile(other)
    }

    @Test(arguments: [Way.mirror, .checksumFile])
    func `a later run of the program knows the digest`(way: Way) async throws {
        let latch = Latch()
        let held = Reply.resource(other).holdAfterBytes(Scene.heldBytes, until: latch)
        let (both, settings) = try scene(way, mirror: held)
        let running = try both.scene.start(settings)
        await latch.waitForArrivals(1)
        await running.wait { $0.completedBytes == Scene.heldBytes }
        running.cancel()
        await #expect(throws: DownloadError.self) { try await running.file() }
        both.scene.serve(.status(404))
        both.scene.origin.route("\(Scene.path).sha256", .status(404))
        both.mirror.route(Scene.path, .resource(other))
        let error = try await both.scene.failure(settings)
        #expect(error.code == .checksumMismatch)
        try both.scene.expectFile(other, name: corrupt)
    }
}
