import PawlCore
import PawlTesting
import Testing

/// Mirrors that a server names in its response (RFC 6249).
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ServerMirrorTests {
    private let resource = Resource(size: Scene.size)

    /// A scene whose first server names the other one.
    private func scene(
        digest: Bool = true,
        mirror: Reply? = nil,
        _ change: (Reply) -> Reply = { $0 }
    ) throws -> MirrorScene {
        let both = try MirrorScene(.status(404), mirror: .status(404))
        var mirrored = resource
        (mirrored.entityTag, mirrored.lastModified) = ("\"own\"", nil)
        both.mirror.route(Scene.path, mirror ?? change(.resource(mirrored)))
        let link = "<\(both.mirror.url(Scene.path))>; rel=duplicate; pri=1, </other>; rel=next"
        var reply = Reply.resource(resource).setting("Link", link)
        if digest {
            let text = try #require(resource.digest(.sha256)).bytes.base64
            reply = reply.setting("Digest", "SHA-256=\(text)")
        }
        both.scene.serve(change(reply))
        return both
    }

    @Test func `the mirror delivers a part of the file`() async throws {
        let latch = Latch()
        let both = try scene { $0.holdAfterBytes(1000, until: latch) }
        let running = try both.scene.start(both.scene.settings(4))
        await latch.waitForArrivals(4)
        latch.release()
        let file = try await running.file()
        #expect(file.verifiedDigest?.algorithm == .sha256)
        try both.scene.expectFile(resource)
        #expect(both.asked.contains { $0.status == 206 && $0.bodyBytesSent > 1000 })
    }

    @Test func `without a digest, no mirror is used`() async throws {
        let both = try scene(digest: false)
        try await both.scene.download(both.scene.settings(4))
        #expect(both.asked.isEmpty)
    }

    @Test func `a setting turns off the mirrors that a server names`() async throws {
        let both = try scene()
        var settings = both.scene.settings(4)
        settings.usesServerMirrors = false
        try await both.scene.download(settings)
        #expect(both.asked.isEmpty)
    }

    @Test func `a mirror with other bytes does no harm`() async throws {
        let latch = Latch()
        let other = Reply.resource(Resource(size: Scene.size, seed: 9))
        let both = try scene(mirror: other.holdAfterBytes(1000, until: latch)) {
            $0.holdAfterBytes(1000, until: latch)
        }
        let running = try both.scene.start(both.scene.settings(4))
        await latch.waitForArrivals(4)
        latch.release()
        _ = try await running.file()
        try both.scene.expectFile(resource)
    }

    @Test func `a mirror gets no secret of the server`() async throws {
        let latch = Latch()
        let both = try scene { $0.holdAfterBytes(1000, until: latch) }
        var settings = both.scene.settings(4)
        settings.credentials = Credentials(name: "me", password: "secret")
        settings.fields = [HTTPField(name: "X-Token", value: "secret")]
        let running = try both.scene.start(settings)
        await latch.waitForArrivals(4)
        latch.release()
        _ = try await running.file()
        #expect(!both.asked.isEmpty)
        #expect(both.asked.allSatisfy { $0["Authorization"] == nil && $0["X-Token"] == nil })
    }
}
