import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Servers without validators: where bytes of two answers meet, they are compared.
@Suite(.timeLimit(.minutes(1)), .inTurn)
struct SeamTests {
    private let old = Resource(size: Scene.size)
    private let new = Resource(size: Scene.size, seed: 2)

    @Test(arguments: Scene.connectionCounts)
    func `a version of the same length that came between two runs is fetched from zero`(
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
    func `a server without ranges is compared with all that is there`(
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

    @Test func `the first byte counts where the whole is compared`() async throws {
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
    func `a version of the same length that comes within a run is never mixed in`(
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
        // All but the first's own part.
        await running.waitForBytes(Scene.size / 2)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(new)
        #expect(running.log.says("changed on the server"))
    }

    @Test(arguments: Scene.connectionCounts)
    func `a server whose bytes differ from answer to answer gives one stream`(
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

    @Test func `connections meet without a byte fetched again but where they are compared`()
        async throws
    {
        let scene = try Scene()
        let latch = Latch()
        scene.serve(.resource(old).omitValidators.holdAfterBytes(1000, until: latch))
        let running = try scene.start(scene.settings(4))
        await latch.waitForArrivals(4)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(old)
        // What a connection reads before it is told of a new end counts, too.
        let again = running.monitor.metrics.bytesReceived - Scene.size
        #expect(again < Int64(scene.asked.count) * (Seam.leadBytes + Seam.tailBytes + 16 * 1024))
        #expect(!scene.asked.contains { $0.status != 200 && $0.status != 206 })
    }
}
