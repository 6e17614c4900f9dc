import PawlCore
import PawlTesting
import Testing

/// The table "Judging a head": 200.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct WholeHeadTests {
    private let resource = Resource(size: Scene.size)
    private let other = Resource(size: Scene.size, seed: 2)

    @Test(arguments: Scene.connectionCounts)
    func `a 200 to the first request is kept as the first segment`(connections: Int) async throws {
        let scene = try Scene()
        let file = try await scene.downloadTogether(
            .resource(resource),
            scene.settings(connections)
        )
        try scene.expectFile(resource)
        #expect(file.byteCount == Scene.size)
        #expect(file.isLengthVerified)
        #expect(scene.asked.first?.status == 200)
        #expect(scene.asked.dropFirst().allSatisfy { $0.status == 206 })
        #expect(connections == 1 ? scene.asked.count == 1 : scene.asked.count >= 4)
    }

    @Test func `several connections are tried if Accept-Ranges is missing`() async throws {
        let scene = try Scene()
        let reply = Reply.resource(resource).removing("Accept-Ranges")
        try await scene.downloadTogether(reply, scene.settings(4))
        try scene.expectFile(resource)
        #expect(scene.asked.count { $0.status == 206 } >= 3)
    }

    @Test func `one stream is used if the server denies ranges`() async throws {
        var resource = resource
        resource.acceptsRanges = false
        let scene = try Scene(.resource(resource))
        try await scene.download(scene.settings(4))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 1)
    }

    @Test func `one stream is used if the length is unknown`() async throws {
        let scene = try Scene(.resource(resource).chunked())
        try await scene.download(scene.settings(4))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 1)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a body encoded unasked is kept as received, over one stream`(
        connections: Int
    ) async throws {
        let scene = try Scene(.resource(resource).contentEncoding("gzip"))
        let running = try scene.start(scene.settings(connections))
        let file = try await running.file()
        try scene.expectFile(resource)
        #expect(file.contentEncoding == "gzip")
        #expect(scene.asked.count == 1)
        #expect(running.log.says("encoded the file (gzip)"))
    }

    @Test(arguments: Scene.connectionCounts)
    func `a broken encoded body is fetched again from its first byte`(
        connections: Int
    ) async throws {
        let encoded = Reply.resource(resource).contentEncoding("gzip")
        let scene = try Scene(.sequence([encoded.afterBytes(300_000, .reset), encoded]))
        try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        #expect(scene.asked.map { $0["Range"] } == [nil, nil])
    }

    @Test func `no byte of an interrupted encoded body is kept`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.interrupt(.resource(resource).contentEncoding("br"), settings)
        #expect(scene.folder.list().isEmpty)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.map { $0["Range"] } == [nil])
    }

    // MARK: - 200 instead of a range

    @Test func `a fresh download continues its first stream if ranges are ignored`() async throws {
        let scene = try Scene()
        let latch = Latch()
        let reply = Reply.resource(resource).ignoreRange
        let first = reply.holdAfterBytes(100_000, until: latch)
        scene.serve(reply.choosing(first) { $0.ordinal == 1 })
        let running = try scene.start(scene.settings(4))
        await running.log.wait(for: "one connection")
        latch.release()
        _ = try await running.file()
        try scene.expectFile(resource)
        await scene.origin.waitUntil { $0.activeExchanges == 0 }
        #expect(scene.asked.first?.bodyBytesSent == Scene.size)
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a 200 of the same file is read from 0, and bytes on disk are skipped`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = Reply.resource(resource).ignoreRange
        try await scene.begin(start, of: resource, settings, then: reply)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(!running.log.says("starting over"))
        #expect(running.log.says("one connection"))
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a 200 of another version starts over`(start: Start, connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = Reply.resource(other).ignoreRange
        try await scene.begin(start, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(other)
        scene.expectManners()
    }

    @Test(arguments: Start.allCases)
    func `a 200 without its validators is refused, and the bytes are kept`(
        start: Start
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        // The same length and other bytes: nothing proves that it is a new version.
        let reply = Reply.resource(other).ignoreRange.omitValidators
        try await scene.begin(start, of: resource, settings, then: reply)
        let error = try await scene.failure(settings)
        #expect(error.code == .notTheFile)
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    /// The servers honor ranges, but send status 200 with each part.
    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a part with status 200 is never taken for the file`(
        start: Start,
        connections: Int
    ) async throws {
        for (keepsContentRange, isTagged) in [(true, true), (false, true), (false, false)] {
            let scene = try Scene()
            let settings = scene.settings(connections)
            var resource = resource
            if !isTagged { (resource.entityTag, resource.lastModified) = (nil, nil) }
            let reply = Reply.resource(resource).partAsWhole(keepsContentRange: keepsContentRange)
            try await scene.begin(start, of: resource, settings, then: reply)
            let running = try scene.start(settings)
            _ = try await running.file()
            try scene.expectFile(resource)
            #expect(!running.log.says("starting over"))
        }
    }

    @Test func `a part with status 200 of a new version is never taken for the file`() async throws
    {
        let scene = try Scene()
        let settings = scene.settings(1)
        let reply = Reply.resource(other).partAsWhole(keepsContentRange: false)
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(other)
        #expect(scene.asked.map { $0.range == nil } == [false, true])
    }

    /// The length that an identified version had is that of the file.
    @Test func `a shorter answer without a length is not the file`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        var short = Resource(bytes: Array(resource.bytes().dropLast(1000)))
        (short.entityTag, short.lastModified) = (resource.entityTag, resource.lastModified)
        let reply = Reply.resource(short).ignoreRange.chunked()
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        let error = try await scene.failure(settings)
        #expect(error.code == .network)
        scene.serve(.resource(resource).ignoreRange.chunked())
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test(arguments: [true, false])
    func `an encoded answer costs no bytes`(isTagged: Bool) async throws {
        var resource = resource
        if !isTagged { (resource.entityTag, resource.lastModified) = (nil, nil) }
        let scene = try Scene()
        let settings = scene.settings(1)
        let encoded = Reply.resource(resource).ignoreRange.contentEncoding("gzip")
        let reply = Reply.resource(resource).choosing(encoded) { $0.ordinal == 1 }
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(!running.log.says("starting over"))
        #expect(scene.asked.dropFirst().allSatisfy { $0.status == 206 })
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `an error page with status 200 in the middle costs no bytes`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let page = Reply.status(
            200,
            fields: [("Content-Type", "text/html")],
            body: String(repeating: "<p>Please try again later.", count: 35)
        )
        let good = Reply.resource(resource)
        let reply = good.choosing(page) { $0.ordinal == 2 }
        try await scene.begin(start, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.count { $0.range == nil } == (start == .fresh ? 1 : 0))
    }
}
