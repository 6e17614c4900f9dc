import PawlCore
import PawlTesting
import Testing

/// The table "Resume, before the first request": what proves that the file is the same.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ValidatorTests {
    private static let fresh: Resource = {
        // Modified in the second in which it was sent.
        var resource = Resource(size: Scene.size)
        resource.date = resource.lastModified
        return resource
    }()

    enum Weakness: String, CaseIterable, Sendable {
        case none, weakTagAlone, weakTagAndFreshDate, freshDateAlone

        var reply: Reply {
            let reply = Reply.resource(ValidatorTests.fresh)
            return switch self {
            case .none: reply.omitValidators
            case .weakTagAlone: reply.weakEntityTag.removing("Last-Modified")
            case .weakTagAndFreshDate: reply.weakEntityTag
            case .freshDateAlone: reply.removing("ETag")
            }
        }
    }

    @Test(arguments: Weakness.allCases, Scene.connectionCounts)
    func `without a validator the file is fetched again if comparing is off`(
        weakness: Weakness,
        connections: Int
    ) async throws {
        let scene = try Scene()
        var settings = scene.settings(connections)
        settings.resumesWithoutValidator = false
        try await scene.interrupt(weakness.reply, settings)
        try await scene.download(settings)
        try scene.expectFile(Self.fresh)
        #expect(scene.asked.first?.range == nil)
    }

    @Test(arguments: Weakness.allCases)
    func `within one run four connections need no validator`(weakness: Weakness) async throws {
        let scene = try Scene()
        try await scene.downloadTogether(weakness.reply, scene.settings(4))
        try scene.expectFile(Self.fresh)
        #expect(scene.asked.count { $0.status == 206 } >= 3)
    }

    @Test(arguments: Weakness.allCases, Scene.connectionCounts)
    func `without a validator a file is resumed if its bytes are still the same`(
        weakness: Weakness,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(weakness.reply, settings)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(Self.fresh)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
        #expect(!running.log.says("starting over"))
        let seam = Scene.heldBytes - Seam.leadBytes
        #expect(scene.asked.contains { ($0.range?.first ?? 0) <= seam })
        #expect(scene.asked.requestedBytes(of: Scene.size).count < Scene.size)
    }

    @Test(arguments: Weakness.allCases, Scene.connectionCounts)
    func `without a validator a file is resumed if a digest proves it at the end`(
        weakness: Weakness,
        connections: Int
    ) async throws {
        let scene = try Scene()
        var settings = scene.settings(connections)
        settings.checksum = .digest(try #require(Self.fresh.digest(.sha256)))
        try await scene.interrupt(weakness.reply, settings)
        let file = try await scene.download(settings)
        try scene.expectFile(Self.fresh)
        #expect(file.verifiedDigest != nil)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    @Test func `a digest detects a mixture that no validator reveals`() async throws {
        let scene = try Scene()
        var settings = scene.settings(1)
        settings.checksum = .digest(try #require(Self.fresh.digest(.sha256)))
        try await scene.interrupt(Weakness.none.reply, settings)
        // Only its last byte differs, which is not compared.
        var bytes = Self.fresh.bytes()
        bytes[bytes.count - 1] ^= 1
        scene.serve(.resource(Resource(bytes: bytes)).omitValidators)
        let error = try await scene.failure(settings)
        #expect(error.code == .checksumMismatch)
    }

    @Test(arguments: Scene.connectionCounts)
    func `another length means another file even if no validator is required`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(Weakness.none.reply, settings)
        let other = Resource(size: Scene.size + 1, seed: 2)
        scene.serve(.resource(other).omitValidators)
        try await scene.download(settings)
        try scene.expectFile(other)
    }

    @Test(arguments: Scene.connectionCounts, [true, false])
    func `responses that confirm another length are not failed attempts`(
        connections: Int,
        servesRanges: Bool
    ) async throws {
        let scene = try Scene()
        var settings = scene.settings(connections)
        settings.retries = 0
        try await scene.interrupt(Weakness.none.reply, settings)
        let other = Resource(size: Scene.size + 1, seed: 2)
        let reply = Reply.resource(other).omitValidators
        scene.serve(servesRanges ? reply : reply.ignoreRange)
        try await scene.download(settings)
        try scene.expectFile(other)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a weak tag suffices if the date is a second older than the answer`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let resource = Resource(size: Scene.size)
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource).weakEntityTag, settings)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    @Test(arguments: Scene.connectionCounts, [true, false])
    func `a server that stops sending its tag is resumed if date and bytes match`(
        connections: Int,
        servesRanges: Bool
    ) async throws {
        let scene = try Scene()
        let resource = Resource(size: Scene.size)
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        let reply = Reply.resource(resource).removing("ETag")
        scene.serve(servesRanges ? reply : reply.ignoreRange)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(!running.log.says("starting over"))
        guard servesRanges else { return }
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    @Test(arguments: Scene.connectionCounts, [true, false])
    func `a server that weakens its tag and changes the media type is resumed if bytes match`(
        connections: Int,
        servesRanges: Bool
    ) async throws {
        let scene = try Scene()
        let resource = Resource(size: Scene.size)
        let settings = scene.settings(connections)
        let dateless = Reply.resource(resource).removing("Last-Modified")
        try await scene.interrupt(dateless, settings)
        let reply = dateless.weakEntityTag.setting("Content-Type", "application/x-other")
        scene.serve(servesRanges ? reply : reply.ignoreRange)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(!running.log.says("starting over"))
        guard servesRanges else { return }
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    @Test(arguments: Scene.connectionCounts, [true, false])
    func `other bytes with the same date and length are noticed without a tag`(
        connections: Int,
        servesRanges: Bool
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(Resource(size: Scene.size)), settings)
        let other = Resource(size: Scene.size, seed: 2)
        let reply = Reply.resource(other).removing("ETag")
        scene.serve(servesRanges ? reply : reply.ignoreRange)
        try await scene.download(settings)
        try scene.expectFile(other)
    }

    @Test(arguments: Scene.connectionCounts, [true, false])
    func `other bytes with the same length are noticed if the strong tag becomes weak`(
        connections: Int,
        servesRanges: Bool
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let resource = Resource(size: Scene.size)
        try await scene.interrupt(.resource(resource).removing("Last-Modified"), settings)
        var other = Resource(size: Scene.size, seed: 2)
        other.entityTag = resource.entityTag
        let reply = Reply.resource(other).removing("Last-Modified").weakEntityTag
        scene.serve(servesRanges ? reply : reply.ignoreRange)
        try await scene.download(settings)
        try scene.expectFile(other)
    }

    @Test(arguments: Scene.connectionCounts)
    func `other bytes with the epoch as their date are noticed`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = { (resource: Resource) in
            Reply.resource(resource).removing("ETag")
                .setting("Last-Modified", "Thu, 01 Jan 1970 00:00:01 GMT")
        }
        try await scene.interrupt(reply(Resource(size: Scene.size)), settings)
        let other = Resource(size: Scene.size, seed: 2)
        scene.serve(reply(other))
        try await scene.download(settings)
        try scene.expectFile(other)
    }

    @Test(arguments: Scene.connectionCounts)
    func `one short answer without a validator costs no bytes`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(Weakness.none.reply, settings)
        let empty = Reply.status(200, fields: [("Content-Type", "application/octet-stream")])
        scene.serve(Weakness.none.reply.choosing(empty) { $0.ordinal == 1 })
        try await scene.download(settings)
        try scene.expectFile(Self.fresh)
        #expect(scene.asked.dropFirst().allSatisfy { $0.status == 206 })
        #expect(scene.asked.requestedBytes(of: Scene.size).count < Scene.size)
    }

    @Test(arguments: Scene.connectionCounts)
    func `an unknown length with a strong tag is resumed`(connections: Int) async throws {
        let scene = try Scene()
        let resource = Resource(size: Scene.size)
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource).chunked(), settings, connections: 1)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.first?.range?.first == Scene.heldBytes)
    }
}
