import PawlCore
import PawlTesting
import Testing

/// Files that arrive with a wrong digest although there are digests of pieces or other sources.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct RepairTests {
    private static let piece: Int64 = 64 << 10
    private let resource = Resource(size: Scene.size)

    /// The file with wrong bytes in these pieces, from a server with its own tags.
    private func damaged(_ pieces: Int64...) -> Resource {
        var bytes = resource.bytes()
        for piece in pieces { bytes[Int(piece * Self.piece) + 1000] ^= 1 }
        var damaged = Resource(bytes: bytes)
        (damaged.entityTag, damaged.lastModified) = ("\"damaged\"", resource.lastModified)
        return damaged
    }

    private func pieces(of resource: Resource) throws -> PieceDigests {
        try #require(resource.pieceDigests(length: Self.piece))
    }

    private func settings(
        _ scene: MirrorScene,
        _ connections: Int,
        pieces: Bool = true,
        digest: Bool = true
    ) throws -> DownloadSettings {
        var settings = try scene.settings(connections)
        if pieces { settings.pieces = try self.pieces(of: resource) }
        if digest { settings.checksum = .digest(try #require(resource.digest(.sha256))) }
        return settings
    }

    /// Checks that requests were for these pieces only.
    private func expectOnly(_ pieces: [Int64], in requests: [RecordedRequest]) {
        let wanted = RangeSet(
            pieces.map { ByteRange($0 * Self.piece, ($0 + 1) * Self.piece) }
        )
        let asked = requests.requestedBytes(of: Scene.size)
        #expect(asked == wanted, "\(asked)")
    }

    @Test(arguments: [true, false])
    func `only the damaged pieces are fetched again, from the other source`(
        digest: Bool
    ) async throws {
        let both = try MirrorScene(
            .resource(damaged(3, 9)),
            mirror: .resource(resource)
        )
        let settings = try settings(both, 1, digest: digest)
        var first = damaged(3, 9)
        // Without a digest of the whole file, equal tags prove that both have the same file.
        if !digest { first.entityTag = resource.entityTag }
        both.scene.serve(.resource(first))
        _ = try await both.scene.start(settings).file()
        try both.scene.expectFile(resource)
        expectOnly([3, 9], in: both.asked)
        #expect(both.scene.asked.count == 1)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a piece that was damaged on the way is fetched again from the only source`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let good = resource
        var bad = damaged(5)
        bad.entityTag = good.entityTag
        let latch = Latch()
        let together = Reply.resource(bad).holdAfterBytes(1000, until: latch)
        scene.serve(Reply.resource(good).choosing(together) { $0.ordinal <= connections })
        var settings = scene.settings(connections)
        settings.pieces = try pieces(of: good)
        settings.checksum = .digest(try #require(good.digest(.sha256)))
        let running = try scene.start(settings)
        await latch.waitForArrivals(connections)
        scene.forgetRequests()
        latch.release()
        _ = try await running.file()
        try scene.expectFile(good)
        let asked = scene.asked.requestedBytes(of: Scene.size)
        #expect(asked.contains(ByteRange(5 * Self.piece, 6 * Self.piece)))
    }

    @Test func `a source that stays damaged delivers no file`() async throws {
        let scene = try Scene(.resource(damaged(5)))
        var settings = scene.settings(1)
        settings.pieces = try pieces(of: resource)
        let error = try await scene.failure(settings)
        #expect(error.code == .checksumMismatch)
        #expect(error.message.contains("a piece of the file is wrong"), "\(error.message)")
        // The file, and the piece three times.
        #expect(scene.asked.count == 4)
        expectOnly([5], in: Array(scene.asked.dropFirst()))
        try scene.expectFile(damaged(5), name: Scene.name + ".corrupt")
    }

    @Test func `without pieces, the source that sent the whole file is left out`() async throws {
        let both = try MirrorScene(.resource(damaged(2)), mirror: .resource(resource))
        _ = try await both.scene.start(settings(both, 1, pieces: false)).file()
        try both.scene.expectFile(resource)
        #expect(both.scene.asked.count == 1)
    }

    @Test(arguments: [true, false])
    func `without pieces, sources that have sent parts are tried one at a time`(
        mirrorIsDamaged: Bool
    ) async throws {
        let latch = Latch()
        let (good, bad) = (Reply.resource(resource), Reply.resource(damaged(0, 8, 15)))
        func serve(_ reply: Reply) -> Reply { reply.holdAfterBytes(1000, until: latch) }
        let both = try MirrorScene(
            serve(mirrorIsDamaged ? good : bad),
            mirror: serve(mirrorIsDamaged ? bad : good)
        )
        let running = try both.scene.start(settings(both, 4, pieces: false))
        await latch.waitForArrivals(4)
        latch.release()
        _ = try await running.file()
        try both.scene.expectFile(resource)
    }

    @Test func `pieces of another file do no harm if the digest is right`() async throws {
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(1)
        settings.pieces = try pieces(of: damaged(1))
        settings.checksum = .digest(try #require(resource.digest(.sha256)))
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test func `a later run continues a repair`() async throws {
        let scene = try Scene()
        var bad = damaged(5)
        bad.entityTag = resource.entityTag
        let latch = Latch()
        let held = Reply.resource(resource).holdAfterBytes(1000, until: latch)
        scene.serve(held.choosing(.resource(bad)) { $0.ordinal == 1 })
        var settings = scene.settings(1)
        settings.pieces = try pieces(of: resource)
        let running = try scene.start(settings)
        await latch.waitForArrivals(1)
        running.cancel()
        await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(scene.folder.exists(Scene.name + ".part"))
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(settings)
        try scene.expectFile(resource)
        let asked = scene.asked.requestedBytes(of: Scene.size)
        #expect(asked.count <= Self.piece, "\(asked)")
    }

    // MARK: - Sizes

    @Test func `a source whose file has another size is not used`() async throws {
        let other = Resource(size: Scene.size - 7, seed: 3)
        let both = try MirrorScene(.resource(other), mirror: .resource(resource))
        var settings = try both.settings(1)
        settings.expectedSize = Scene.size
        _ = try await both.scene.start(settings).file()
        try both.scene.expectFile(resource)
    }

    @Test(arguments: [false, true])
    func `a file of another size is not a file`(isChunked: Bool) async throws {
        let reply = Reply.resource(resource)
        let scene = try Scene(isChunked ? reply.chunked() : reply)
        var settings = scene.settings(1)
        settings.expectedSize = Scene.size + 1
        let error = try await scene.failure(settings)
        #expect(error.code == .notTheFile)
        #expect(error.message.contains("\(Scene.size) bytes instead of \(Scene.size + 1)"))
        // A length that was not stated is known only at the end; the right size can then be given.
        #expect(scene.folder.list().isEmpty != isChunked, "\(scene.folder.list())")
        settings.expectedSize = Scene.size
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test func `a file whose size does not fit its pieces is not a file`() async throws {
        let scene = try Scene(.resource(Resource(size: Scene.size + 1000)))
        var settings = scene.settings(1)
        settings.pieces = try pieces(of: resource)
        var error = try await scene.failure(settings)
        #expect(error.code == .notTheFile)
        // A length that was not stated is known only at the end.
        scene.serve(Reply.resource(Resource(size: Scene.size + 1000)).chunked())
        error = try await scene.failure(settings)
        #expect(error.code == .notTheFile)
    }

    @Test func `a small file of another size is not a file`() async throws {
        let scene = try Scene(.resource(Resource(size: 10)))
        var settings = scene.settings(1)
        settings.expectedSize = 11
        #expect(try await scene.failure(settings).code == .notTheFile)
    }
}
