import PawlCore
import PawlTesting
import Testing

/// The table "Judging a head": 206 of another version.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ChangedFileTests {
    /// The difference between the second version of the file and the first.
    enum Difference: String, CaseIterable, Sendable {
        case total, lastModified, entityTag, all

        /// Returns other contents that differ visibly only in this way.
        func applied(to old: Resource) -> Resource {
            var new = Resource(size: old.size + (self == .total ? 4096 : 0), seed: 2)
            if self != .entityTag, self != .all { new.entityTag = old.entityTag }
            if self != .lastModified, self != .all { new.lastModified = old.lastModified }
            return new
        }
    }

    private let old: Resource = {
        var old = Resource(size: Scene.size)
        old.date = HTTPDate.text(secondsFromNow: 0)
        return old
    }()

    @Test(arguments: Difference.allCases, Scene.connectionCounts)
    func `a file that changed between two runs is fetched again from 0`(
        difference: Difference,
        connections: Int
    ) async throws {
        let new = difference.applied(to: old)
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(old), settings)
        scene.origin.replace(Scene.path, with: new)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(new)
        scene.expectManners()
        #expect(running.log.says("changed on the server"))
        #expect(scene.asked.first?.range != nil)
        #expect(scene.asked.contains { $0.range == nil })
    }

    @Test(arguments: Difference.allCases, Scene.connectionCounts)
    func `a file that changes during a run is never a mixture`(
        difference: Difference,
        connections: Int
    ) async throws {
        let new = difference.applied(to: old)
        let scene = try Scene()
        let first = Reply.resource(old).afterBytes(300_000, .reset)
        scene.serve(.resource(new).choosing(first) { $0.ordinal == 1 })
        try await scene.download(scene.settings(connections))
        try scene.expectOneVersion(of: [old, new])
        #expect(scene.folder.list() == [Scene.name])
    }

    @Test func `a stream that outlives a changed tag is not joined with another answer`()
        async throws
    {
        let new = Difference.entityTag.applied(to: old)
        let latch = Latch()
        let scene = try Scene()
        let first = Reply.resource(old).holdAfterBytes(200_000, until: latch)
            .afterBytes(300_000, .reset)
        scene.serve(.resource(new).choosing(first) { $0.ordinal == 1 })
        let running = try scene.start(scene.settings(4))
        await running.log.wait(for: "one connection")
        latch.release()
        _ = try await running.file()
        try scene.expectOneVersion(of: [old, new])
    }

    /// The request that starts over does not know the new version yet.
    @Test(arguments: [Reply.htmlPortal, .status(200, body: "backend timed out")])
    func `an error page with status 200 is not a new version of the file`(
        page: Reply
    ) async throws {
        let new = Difference.all.applied(to: old)
        let scene = try Scene()
        let first = Reply.resource(old).afterBytes(300_000, .reset)
        let settings = scene.settings(1)
        scene.serve(.sequence([first, .resource(new), page, .resource(new)]))
        try await scene.download(settings)
        try scene.expectFile(new)
        #expect(scene.asked.count == 4)
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a file that keeps changing ends with a specific error`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let changing = Reply.each { exchange in
            let version = Resource(
                size: Scene.size + Int64(exchange.ordinal),
                seed: UInt64(10 + exchange.request.number)
            )
            return .resource(version).afterBytes(200_000, .reset)
        }
        try await scene.begin(start, of: old, settings, then: changing)
        let error = try await scene.failure(settings)
        #expect(error.code == .keepsChanging)
        #expect(!scene.folder.exists(Scene.name))
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a server with one tag per request gets one stream`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = Reply.resource(old).entityTagPerRequest
        try await scene.begin(start, of: old, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(old)
        scene.expectManners()
        await scene.origin.waitUntil { $0.activeExchanges == 0 }
        // The last answer alone delivered the whole file.
        #expect(scene.asked.contains { $0.range == nil && $0.bodyBytesSent == Scene.size })
    }

    @Test func `a fresh download with one tag per request keeps its first stream`() async throws {
        let latch = Latch()
        let reply = Reply.resource(old).entityTagPerRequest
        let scene = try Scene()
        scene.serve(
            reply.choosing(reply.holdAfterBytes(100_000, until: latch)) { $0.ordinal == 1 }
        )
        let running = try scene.start(scene.settings(4))
        await running.log.wait(for: "one connection")
        // By then the first stream has been told to continue to the end.
        await running.log.wait(for: " ended at ")
        latch.release()
        _ = try await running.file()
        try scene.expectFile(old)
        #expect(scene.asked.count { $0.range == nil } == 1)
        #expect(running.log.says("ETag differs"))
    }

    @Test(arguments: Scene.connectionCounts)
    func `a part without the original validators is not trusted`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let new = Difference.all.applied(to: old)
        let reply = Reply.resource(new).omitValidators
        try await scene.begin(.resumed, of: old, settings, then: reply)
        let error = try await scene.failure(settings)
        #expect(error.code == .notTheFile)
        #expect(scene.folder.exists("\(Scene.name).part"))
    }
}
