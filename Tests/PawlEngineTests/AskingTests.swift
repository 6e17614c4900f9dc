import PawlCore
import PawlTesting
import Testing

/// The table "Asking" of the rules for resuming.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct AskingTests {
    private let resource = Resource(size: Scene.size)

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `every request is an identity GET with at most one range and no If-Range`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.begin(start, of: resource, settings, then: .resource(resource))
        try await scene.download(settings)
        try scene.expectFile(resource)
        scene.expectManners()
        #expect(scene.asked.contains { $0.range != nil })
    }

    @Test(arguments: Scene.connectionCounts)
    func `the first request of a fresh download has no range, and its answer is kept`(
        connections: Int
    ) async throws {
        let scene = try Scene(.resource(resource))
        try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        let first = try #require(scene.asked.first)
        #expect(first["Range"] == nil)
        #expect(first.bodyBytesSent > 0)
        let others = scene.asked.dropFirst()
        #expect(others.allSatisfy { $0.range != nil && $0.range != .from(0, last: nil) })
        #expect(connections > 1 || others.isEmpty)
    }

    @Test(arguments: Scene.connectionCounts)
    func `only the first request asks for a digest`(connections: Int) async throws {
        let scene = try Scene(.resource(resource))
        try await scene.download(scene.settings(connections))
        let wants = scene.asked.map { $0["Want-Repr-Digest"] }
        #expect(wants.first == "sha-256=10, sha-512=9")
        #expect(wants.dropFirst().allSatisfy { $0 == nil })
    }

    @Test func `no digest is requested if the user gave one or wants none`() async throws {
        let digest = try #require(resource.digest(.sha256))
        for policy in [ChecksumPolicy.none, .digest(digest)] {
            let scene = try Scene(.resource(resource))
            var settings = scene.settings(1)
            settings.checksum = policy
            try await scene.download(settings)
            #expect(scene.asked.first?["Want-Repr-Digest"] == nil)
        }
    }

    @Test(arguments: Scene.connectionCounts)
    func `a server that answers any If-Range with 200 is still resumed`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource).ignoreRangeWithIfRange, settings)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    @Test(arguments: Scene.connectionCounts)
    func `all connections share one authentication round`(connections: Int) async throws {
        let scene = try Scene()
        var settings = scene.settings(connections)
        settings.credentials = Credentials(name: "me", password: "secret")
        let reply = Reply.resource(resource).requireBasic(name: "me", password: "secret")
        try await scene.downloadTogether(reply, settings)
        try scene.expectFile(resource)
        #expect(scene.origin.requests.count { $0.status == 401 } == 1)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a resume requests only the missing bytes`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let kept = try await scene.interrupt(.resource(resource), settings)
        try await scene.download(settings)
        try scene.expectFile(resource)
        scene.expectManners()
        let first = try #require(scene.asked.first)
        #expect(first.range == .from(Scene.heldBytes, last: first.range?.last))
        let fetched = scene.asked.reduce(0) { $0 + ($1.status == 206 ? $1.bodyBytesSent : 0) }
        // A steal near the end cuts a response whose remaining bytes were already in flight.
        #expect(fetched >= Scene.size - kept)
        #expect(connections > 1 || fetched == Scene.size - kept)
    }
}
