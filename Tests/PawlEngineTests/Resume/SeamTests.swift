import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Servers without validators: bytes of two answers are compared where they meet.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct SeamTests {
    private let old = Resource(size: Scene.size)
    private let new = Resource(size: Scene.size, seed: 2)

    @Test(arguments: Scene.connectionCounts)
    func `a new version of the same length between two runs is fetched from zero`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(old).omitValidators, settings)
        scene.serve(.resource(new).omitValidators)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(new)
        #expect(running.log.says("changed on the server"))
        #expect(scene.asked.contains { $0.range == nil })
    }

    @Test(arguments: Scene.connectionCounts)
    func `without ranges the whole answer is compared with the bytes on disk`(
        connections: Int
    ) async throws {
        for now in [old, new] {
            let scene = try Scene()
            let settings = scene.settings(connections)
            try await scene.interrupt(.resource(old).omitValidators, settings)
            scene.serve(.resource(now).omitValidators.ignoreRange)
            let running = try scene.start(settings)
            _ = try await running.file()
            try scene.expectFile(now)
            #expect(running.log.says("changed on the server") == (now.entityTag == new.entityTag))
        }
    }

    @Test func `a whole comparison includes the first byte`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.interrupt(.resource(old).omitValidators, settings)
        var bytes = old.bytes()
        bytes[0] ^= 1
        let other = Resource(bytes: bytes)
        scene.serve(.resource(other).omitValidators.ignoreRange)
        try await scene.download(settings)
        try scene.expectFile(other)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a new version of the same length during a run is never mixed in`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let first = Reply.resource(old).omitValidators.afterBytes(300_000, .reset)
        scene.serve(.resource(new).omitValidators.choosing(first) { $0.ordinal == 1 })
        try await scene.download(scene.settings(connections))
        try scene.expectFile(new)
    }

    @Test func `a second connection with another version is noticed where it meets the first`()
        async throws
    {
        let scene = try Scene()
        let latch = Latch()
        let first = Reply.resource(old).omitValidators.holdAfterBytes(100_000, until: latch)
        let reply = Reply.resource(new).omitValidators
        scene.serve(reply.choosing(first) { $0.ordinal == 1 })
        let running = try scene.start(scene.settings(2))
        // Everything but the first connection's own part.
        await running.waitForBytes(Scene.size / 2)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(new)
        #expect(running.log.says("changed on the server"))
    }

    @Test(arguments: Scene.connectionCounts)
    func `a server whose bytes differ from answer to answer gets one stream`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        scene.serve(
            .each { exchange in
                .resource(Resource(size: Scene.size, seed: UInt64(exchange.ordinal))).omitValidators
            }
        )
        try await scene.download(scene.settings(connections))
        let versions = (1...scene.asked.count).map { Resource(size: Scene.size, seed: UInt64($0)) }
        try scene.expectOneVersion(of: versions)
    }

    @Test func `connections that meet fetch only the compared bytes again`() async throws {
        let scene = try Scene()
        let latch = Latch()
        scene.serve(.resource(old).omitValidators.holdAfterBytes(1000, until: latch))
        let running = try scene.start(scene.settings(4))
        await latch.waitForArrivals(4)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(old)
        // Bytes that a connection reads before it learns of its new end count, too.
        let again = running.monitor.metrics.bytesReceived - Scene.size
        #expect(again < Int64(scene.asked.count) * (Seam.leadBytes + Seam.tailBytes + 16 * 1024))
        #expect(!scene.asked.contains { $0.status != 200 && $0.status != 206 })
    }
}
