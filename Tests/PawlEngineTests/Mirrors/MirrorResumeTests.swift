import PawlCore
import PawlTesting
import Testing

/// Resuming an earlier run's bytes from other sources, and what a checkpoint records of them.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct MirrorResumeTests {
    private let resource = Resource(size: Scene.size)

    private var mirrored: Resource {
        var mirrored = resource
        mirrored.entityTag = "\"own\""
        return mirrored
    }

    private func dateless(_ tag: String?) -> Resource {
        var made = resource
        (made.entityTag, made.lastModified) = (tag, nil)
        return made
    }

    @Test(arguments: Scene.connectionCounts)
    func `a download from one server resumes from others if that server is listed`(
        connections: Int
    ) async throws {
        let both = try MirrorScene(.resource(resource), mirror: .resource(mirrored))
        let had = try await both.scene.interrupt(.resource(resource), both.scene.settings(1))
        both.scene.serve(.status(404))
        // Another first source, and a mirror that is not the source of the bytes either.
        let third = try MirrorScene(.resource(mirrored), mirror: .resource(mirrored))
        var settings = third.scene.settings(connections)
        settings.mirrors = [try both.mirrorURL(), try both.scene.url()]
        let process = EngineProcess()
        let running = process.start(
            try third.scene.url(),
            to: .file(both.scene.folder.path(Scene.name)),
            settings
        )
        _ = try await running.file()
        try both.scene.expectFile(resource)
        // A source that was never contacted must first show which file it has.
        let again = third.scene.asked.dropFirst() + both.asked
        #expect(again.allSatisfy { $0.status == 206 && $0.firstByte >= had })
    }

    @Test func `unlisted servers do not resume another server's bytes`() async throws {
        let both = try MirrorScene(.resource(resource), mirror: .resource(mirrored))
        try await both.scene.interrupt(.resource(resource), both.scene.settings(1))
        let third = try MirrorScene(.resource(resource), mirror: .resource(mirrored))
        let running = EngineProcess().start(
            try third.scene.url(),
            to: .file(both.scene.folder.path(Scene.name)),
            third.scene.settings(1)
        )
        let file = try await running.file()
        #expect(file.path == both.scene.folder.path("disk.1.bin"))
        let left = [Scene.name + ".part", Scene.name + ".part.pawl"]
        try both.scene.expectFile(resource, name: "disk.1.bin", besides: left)
    }

    @Test func `the server of the bytes resumes, even if it is now the mirror`() async throws {
        // Nothing that the other server sends proves that it has the same file.
        let both = try MirrorScene(
            .resource(dateless("\"b\"")),
            mirror: .resource(dateless("\"a\""))
        )
        let had = try await both.scene.interrupt(
            .resource(dateless("\"a\"")),
            both.scene.settings(1)
        )
        both.scene.serve(.resource(dateless("\"a\"")))
        var settings = both.scene.settings(1)
        settings.mirrors = [try both.scene.url()]
        both.mirror.route(Scene.path, .resource(Resource(size: Scene.size, seed: 7)))
        let process = EngineProcess()
        let running = process.start(
            try both.mirrorURL(),
            to: .file(both.scene.folder.path(Scene.name)),
            settings
        )
        _ = try await running.file()
        try both.scene.expectFile(resource)
        #expect(running.log.says("is not used"))
        #expect(both.scene.asked.allSatisfy { $0.firstByte >= had })
    }

    @Test func `bytes that no source proves are fetched again`() async throws {
        let both = try MirrorScene(.resource(resource), mirror: .resource(resource))
        try await both.scene.interrupt(.resource(resource), both.scene.settings(1))
        let new = Resource(size: Scene.size, seed: 5)
        let others = try MirrorScene(new)
        let process = EngineProcess()
        var settings = others.scene.settings(2)
        settings.mirrors = [try others.mirrorURL()]
        let running = process.start(
            try others.scene.url(),
            to: .file(both.scene.folder.path(Scene.name)),
            settings
        )
        let file = try await running.file()
        #expect(file.path == both.scene.folder.path("disk.1.bin"))
        let left = [Scene.name + ".part", Scene.name + ".part.pawl"]
        try both.scene.expectFile(new, name: "disk.1.bin", besides: left)
    }

    enum Refusal: CaseIterable, Sendable { case missing, webPage }

    @Test(arguments: Refusal.allCases, Scene.connectionCounts)
    func `a web page from a mirror does not replace the received bytes`(
        ofFirst refusal: Refusal,
        connections: Int
    ) async throws {
        let both = try MirrorScene(.resource(resource), mirror: .htmlPortal)
        let had = try await both.scene.interrupt(.resource(resource), both.scene.settings(1))
        both.scene.serve(refusal == .missing ? .status(404) : .htmlPortal)
        var settings = try both.settings(connections)
        settings.retries = 1
        _ = try await both.scene.failure(settings)
        both.scene.serve(.resource(resource))
        both.scene.forgetRequests()
        try await both.scene.download(both.scene.settings(connections))
        try both.scene.expectFile(resource)
        #expect(both.scene.asked.allSatisfy { $0.status == 206 && $0.firstByte >= had })
    }

    @Test func `another file from the last remaining source replaces the received bytes`()
        async throws
    {
        let other = Resource(size: Scene.size / 2, seed: 9)
        let both = try MirrorScene(.resource(resource), mirror: .resource(other))
        try await both.scene.interrupt(.resource(resource), both.scene.settings(1))
        both.scene.serve(.status(404))
        let running = try both.scene.start(try both.settings(2))
        _ = try await running.file()
        try both.scene.expectFile(other)
        #expect(running.log.says("no remaining source is proven to have the same file"))
    }

    @Test(arguments: [false, true])
    func `a digest given by the user replaces validators`(isGiven: Bool) async throws {
        let bare = dateless(nil)
        let latch = Latch()
        let reply = Reply.resource(bare).holdAfterBytes(1000, until: latch)
        let both = try MirrorScene(reply, mirror: reply)
        var settings = try both.settings(2)
        if isGiven { settings.checksum = .digest(try #require(resource.digest(.sha256))) }
        let running = try both.scene.start(settings)
        await latch.waitForArrivals(2)
        // The mirror's response must be judged while the first server still holds its own.
        if !isGiven { await running.log.wait(for: "is not used") }
        latch.release()
        let file = try await running.file()
        try both.scene.expectFile(resource)
        #expect(running.log.says("is not used") == !isGiven)
        #expect((file.verifiedDigest != nil) == isGiven)
    }

    @Test func `with a digest, the file with a mirror's wrong bytes is fetched again`() async throws
    {
        let latch = Latch()
        let other = Resource(size: Scene.size, seed: 3)
        let both = try MirrorScene(
            .resource(resource).holdAfterBytes(1000, until: latch),
            mirror: .resource(other)
        )
        var settings = try both.settings(2)
        settings.checksum = .digest(try #require(resource.digest(.sha256)))
        let running = try both.scene.start(settings)
        // The first server sends fewer before the latch is open: some of these are the mirror's.
        await running.waitForBytes(100_000)
        latch.release()
        _ = try await running.file()
        #expect(running.log.says("one of the sources has a different file"))
        try both.scene.expectFile(resource)
    }

    @Test func `secrets for the first source are sent only there`() async throws {
        let latch = Latch()
        let both = try MirrorScene(
            .resource(resource).requireBasic(name: "anna", password: "secret")
                .holdAfterBytes(1000, until: latch),
            mirror: .resource(mirrored).holdAfterBytes(1000, until: latch)
        )
        var settings = try both.settings(4)
        settings.credentials = Credentials(name: "anna", password: "secret")
        settings.fields = [
            HTTPField(name: "Cookie", value: "id=1"),
            HTTPField(name: "X-Kept", value: "yes", isForAnyOrigin: true),
        ]
        let running = try both.scene.start(settings)
        await both.mirror.waitUntil { $0.bodyBytesSent > 0 }
        latch.release()
        _ = try await running.file()
        try both.scene.expectFile(resource)
        #expect(both.asked.allSatisfy { $0["Authorization"] == nil && $0["Cookie"] == nil })
        #expect(both.asked.allSatisfy { $0["X-Kept"] == "yes" })
    }
}
