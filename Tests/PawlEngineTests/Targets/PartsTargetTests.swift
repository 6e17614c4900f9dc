import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Downloads into a target that is not a file and takes whole parts.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct PartsTargetTests {
    private static let partBytes: Int64 = 256 * 1024
    /// The bytes that a held response delivers: three parts, and the beginning of the fourth.
    private static let heldBytes: Int64 = 900_000

    private let resource = Resource(size: 5_000_001)
    private let target = MemoryTarget(partBytes: Self.partBytes)

    private func start(_ scene: Scene, _ settings: DownloadSettings) throws -> RunningDownload {
        EngineProcess().start(
            try scene.url(),
            to: .file(scene.folder.path(Scene.name)),
            settings,
            target: target.target
        )
    }

    /// Interrupts a download after `parts` parts are recorded, and returns the error.
    private func interrupt(
        _ scene: Scene,
        _ settings: DownloadSettings,
        after parts: Int,
        heldBytes: Int64 = Self.heldBytes
    ) async throws -> DownloadError? {
        scene.serve(.resource(resource).holdAfterBytes(heldBytes, until: Latch()))
        let running = try start(scene, settings)
        await target.parts.wait { $0.recorded.count >= parts }
        await running.waitForBytes(heldBytes)
        running.cancel()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        await scene.origin.waitForQuiet()
        scene.serve(.resource(resource))
        scene.forgetRequests()
        return error
    }

    /// Checks that the target has that version, byte for byte, and that nothing is on disk.
    private func expectObject(
        _ resource: Resource,
        _ scene: Scene,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let parts = target.parts.value
        #expect(parts.violations.isEmpty, sourceLocation: sourceLocation)
        let isEqual = parts.object == resource.bytes()
        #expect(isEqual, "the bytes differ", sourceLocation: sourceLocation)
        #expect(parts.representation == nil, sourceLocation: sourceLocation)
        #expect(scene.folder.list().isEmpty, sourceLocation: sourceLocation)
    }

    // MARK: - Without interruption

    @Test func `one connection fills the parts in order`() async throws {
        let scene = try Scene(.resource(resource))
        let file = try await start(scene, scene.settings(1)).file()
        #expect(file.path == MemoryTarget.place)
        #expect(file.byteCount == resource.size)
        #expect(scene.asked.count == 1)
        expectObject(resource, scene)
        scene.expectManners()
    }

    @Test func `several connections fill different parts`() async throws {
        let latch = Latch()
        let scene = try Scene(Reply.resource(resource).holdAfterBytes(1000, until: latch))
        let running = try start(scene, scene.settings(4))
        await latch.waitForArrivals(4)
        latch.release()
        _ = try await running.file()
        expectObject(resource, scene)
        let starts = scene.asked.compactMap { $0.range?.first }
        #expect(starts.count >= 3)
        #expect(starts.allSatisfy { $0.isMultiple(of: Self.partBytes) })
    }

    @Test(arguments: Scene.connectionCounts)
    func `a file of unknown length becomes an object`(connections: Int) async throws {
        let scene = try Scene(Reply.resource(resource).chunked())
        let file = try await start(scene, scene.settings(connections)).file()
        #expect(file.byteCount == resource.size)
        expectObject(resource, scene)
    }

    @Test func `a right digest is verified`() async throws {
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(4)
        let digest = try #require(resource.digest(.sha256))
        settings.checksum = .digest(digest)
        let file = try await start(scene, settings).file()
        #expect(file.verifiedDigest == digest)
        expectObject(resource, scene)
    }

    @Test func `an object with a wrong digest is not completed`() async throws {
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(4)
        settings.checksum = .digest(try #require(Resource(size: 1).digest(.sha256)))
        let running = try start(scene, settings)
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .checksumMismatch)
        #expect(target.parts.value.object == nil)
        #expect(target.parts.value.representation == nil)
        #expect(scene.folder.list().isEmpty)
    }

    // MARK: - Interruptions

    @Test(arguments: [1, 2, 4])
    func `a broken connection is continued within its part`(connections: Int) async throws {
        let scene = try Scene(Reply.resource(resource).afterBytes(400_000, .reset))
        _ = try await start(scene, scene.settings(connections)).file()
        expectObject(resource, scene)
        #expect(target.parts.value.resets == 0)
        // Responses that break within a part are continued there.
        let starts = scene.asked.compactMap { $0.range?.first }
        #expect(starts.contains { !$0.isMultiple(of: Self.partBytes) })
    }

    @Test func `the next run fetches the parts that are not recorded`() async throws {
        let scene = try Scene()
        let error = try await interrupt(scene, scene.settings(1), after: 3)
        let kept = 3 * Self.partBytes
        #expect(error?.code == .interrupted)
        #expect(error?.message.contains("\(kept) bytes are kept in \(MemoryTarget.place)") == true)
        let running = try start(scene, scene.settings(1))
        _ = try await running.file()
        #expect(running.monitor.receivedBytes == resource.size - kept)
        #expect(scene.asked.map { $0.range?.first } == [kept])
        expectObject(resource, scene)
    }

    @Test func `the next run fetches parts between recorded ones`() async throws {
        let scene = try Scene()
        _ = try await interrupt(scene, scene.settings(4), after: 4, heldBytes: 400_000)
        let running = try start(scene, scene.settings(4))
        _ = try await running.file()
        #expect(scene.asked.allSatisfy { $0.status == 206 })
        #expect(running.monitor.receivedBytes < resource.size)
        expectObject(resource, scene)
    }

    @Test func `a run that records no part leaves nothing`() async throws {
        let scene = try Scene()
        let error = try await interrupt(scene, scene.settings(1), after: 0, heldBytes: 100_000)
        #expect(error?.code == .interrupted)
        #expect(target.parts.value.representation == nil)
        #expect(error?.message.contains("kept") == false)
    }

    // MARK: - Other versions

    @Test(arguments: Scene.connectionCounts)
    func `another version on the server begins the object again`(connections: Int) async throws {
        let scene = try Scene()
        _ = try await interrupt(scene, scene.settings(connections), after: 3)
        let new = Resource(size: resource.size + 4096, seed: 2)
        scene.origin.replace(Scene.path, with: new)
        let running = try start(scene, scene.settings(connections))
        _ = try await running.file()
        #expect(running.log.says("changed on the server"))
        #expect(target.parts.value.resets == 1)
        expectObject(new, scene)
    }

    @Test func `without validators a broken response begins the object again`() async throws {
        var weak = resource
        (weak.entityTag, weak.lastModified) = (nil, nil)
        let first = Reply.resource(weak).afterBytes(600_000, .reset)
        let scene = try Scene(Reply.resource(weak).choosing(first) { $0.ordinal == 1 })
        _ = try await start(scene, scene.settings(4)).file()
        #expect(target.parts.value.resets == 1)
        #expect(scene.asked.allSatisfy { $0.range == nil })
        expectObject(weak, scene)
    }

    // MARK: - Room

    @Test func `a transfer waits while the target has no room`() async throws {
        target.holdParts()
        let scene = try Scene(.resource(resource))
        let running = try start(scene, scene.settings(1))
        for round in 1...4 {
            await target.parts.wait { $0.fullAnswers >= round && $0.isFull }
            target.recordWaiting()
        }
        target.recordAtOnce()
        _ = try await running.file()
        #expect(target.parts.value.putsWhileFull == 0)
        expectObject(resource, scene)
    }

    @Test func `a download that waits for room can be cancelled`() async throws {
        target.holdParts()
        let scene = try Scene(.resource(resource))
        let running = try start(scene, scene.settings(4))
        await target.parts.wait { $0.isFull }
        running.cancel()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .interrupted)
        #expect(target.parts.value.violations.isEmpty)
    }
}
