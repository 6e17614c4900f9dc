import PawlCore
import PawlTesting
import Testing

/// The table "Judging a body".
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct BodyTests {
    private let resource = Resource(size: Scene.size)

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a short body is kept, and the rest is requested`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = Reply.resource(resource)
        let short = reply.choosing(reply.short(30_000)) { $0.ordinal <= 2 }
        try await scene.begin(start, of: resource, settings, then: short)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.contains { $0.range?.first == Scene.size - 30_000 || connections > 1 })
        #expect(scene.asked.count { $0.range == nil } == (start == .fresh ? 1 : 0))
    }

    @Test(arguments: Scene.connectionCounts)
    func `a body that is always too short is completed piece by piece`(
        connections: Int
    ) async throws {
        let scene = try Scene(.resource(resource).afterBytes(150_000, .reset))
        try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        #expect(scene.asked.count { $0.range == nil } == 1)
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `bytes beyond the end of a range or length are discarded`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = Reply.resource(resource).surplus(5000)
        try await scene.begin(start, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test func `the connection of a body longer than its range is not reused`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        let reply = Reply.resource(resource).limitRange(to: 200_000).surplus(5000)
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.count >= 4)
        #expect(scene.asked.allSatisfy { $0.ordinalOnConnection == 1 })
    }

    @Test(arguments: Scene.connectionCounts)
    func `chunks without the last one are incomplete, and the rest is requested`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let reply = Reply.resource(resource)
        let cut = reply.chunked(endsProperly: false).afterBytes(400_000, .close)
        scene.serve(reply.choosing(cut) { $0.ordinal == 1 })
        let file = try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        #expect(file.byteCount == Scene.size)
        #expect(scene.asked.dropFirst().first?.range?.first == 400_000)
    }

    @Test(arguments: Scene.connectionCounts)
    func `broken chunks without validators are fetched again from the start`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let reply = Reply.resource(resource).omitValidators.chunked()
        let cut = reply.afterBytes(400_000, .close)
        scene.serve(reply.choosing(cut) { $0.ordinal == 1 })
        try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        #expect(scene.asked.map { $0["Range"] } == [nil, nil])
    }

    @Test(arguments: Scene.connectionCounts)
    func `a body ended by a clean close is whole, but its length is unverified`(
        connections: Int
    ) async throws {
        let scene = try Scene(.resource(resource).closeDelimited)
        let file = try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        #expect(!file.isLengthVerified)
        #expect(scene.asked.count == 1)
    }

    @Test func `a body ended by a reset is not whole`() async throws {
        let reply = Reply.resource(resource)
        let scene = try Scene(
            reply.choosing(reply.closeDelimited.afterBytes(400_000, .reset)) { $0.ordinal == 1 }
        )
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 2)
    }

    @Test func `over TLS a body that ends without close_notify is not whole`() async throws {
        let scene = try Scene(tls: true)
        let reply = Reply.resource(resource)
        let cut = reply.closeDelimited.afterBytes(400_000, .closeWithoutNotify)
        scene.serve(reply.choosing(cut) { $0.ordinal == 1 })
        var settings = scene.settings(1)
        settings.connection.allowsUntrustedCertificates = true
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.count == 2)
    }

    @Test func `over TLS a body that ends with close_notify is whole`() async throws {
        let scene = try Scene(tls: true)
        scene.serve(.resource(resource).closeDelimited)
        var settings = scene.settings(4)
        settings.connection.allowsUntrustedCertificates = true
        let file = try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(!file.isLengthVerified)
        #expect(scene.asked.count == 1)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a server that always breaks at the same offset is given up`(
        connections: Int
    ) async throws {
        let reply = Reply.resource(resource).omitValidators.ignoreRange
        let scene = try Scene(reply.afterBytes(100_000, .reset))
        let error = try await scene.failure(scene.settings(connections))
        #expect(error.code == .network)
        #expect(scene.asked.count <= 16)
    }
}
