import PawlCore
import PawlTesting
import Testing

/// Downloads from two servers: one version byte for byte, whatever one of them does.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct MirrorTests {
    private let resource = Resource(size: Scene.size)

    /// The same file on another server, which has its own tags.
    private var mirrored: Resource {
        var mirrored = resource
        mirrored.entityTag = "\"own\""
        return mirrored
    }

    @Test(arguments: Start.allCases)
    func `both sources deliver a part of the file`(start: Start) async throws {
        let latch = Latch()
        let reply = Reply.resource(resource).holdAfterBytes(1000, until: latch)
        let both = try MirrorScene(
            reply,
            mirror: .resource(mirrored).holdAfterBytes(1000, until: latch)
        )
        try await both.begin(start, of: resource, then: reply)
        let running = try both.scene.start(try both.settings(4))
        await latch.waitForArrivals(4)
        latch.release()
        _ = try await running.file()
        try both.scene.expectFile(resource)
        #expect(both.asked.contains { $0.status == 206 && $0.bodyBytesSent > 1000 })
        #expect(both.scene.asked.contains { $0.bodyBytesSent > 1000 })
        both.scene.expectManners()
        #expect(both.asked.allSatisfy { $0["If-Range"] == nil && $0.range != nil })
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `the mirror delivers what a dead source owed`(
        start: Start,
        connections: Int
    ) async throws {
        let dying = Reply.hangUp(.reset).choosing(
            .resource(resource).afterBytes(200_000, .reset)
        ) { $0.ordinal == 1 }
        let both = try MirrorScene(dying, mirror: .resource(mirrored))
        try await both.begin(start, of: resource, then: dying)
        let running = try both.scene.start(try both.settings(connections))
        _ = try await running.file()
        try both.scene.expectFile(resource)
        #expect(both.asked.contains { $0.status == 206 })
    }

    @Test(arguments: Start.allCases)
    func `a mirror that dies in the middle is dropped`(start: Start) async throws {
        let dying = Reply.hangUp(.reset).choosing(
            .resource(mirrored).afterBytes(50_000, .reset)
        ) { $0.ordinal == 1 }
        let latch = Latch()
        let reply = Reply.resource(resource).holdAfterBytes(1000, until: latch)
        let both = try MirrorScene(reply, mirror: dying)
        try await both.begin(start, of: resource, then: reply)
        let running = try both.scene.start(try both.settings(4))
        await both.mirror.waitUntil { $0.requests.contains { $0.end == .cut } }
        latch.release()
        _ = try await running.file()
        try both.scene.expectFile(resource)
    }

    /// Its date is that of the first version.
    @Test func `a mirror whose later responses have another tag is dropped`() async throws {
        var other = Resource(size: resource.size, seed: 2)
        (other.entityTag, other.lastModified) = ("\"later\"", resource.lastModified)
        let latch = Latch()
        let changing = Reply.resource(other).choosing(.resource(mirrored)) { $0.ordinal == 1 }
        let both = try MirrorScene(
            .resource(resource).holdAfterBytes(1000, until: latch),
            mirror: changing.rate(2_000_000)
        )
        let running = try both.scene.start(try both.settings(4))
        await both.mirror.waitUntil { $0.requests.count >= 2 }
        latch.release()
        _ = try await running.file()
        try both.scene.expectFile(resource)
    }

    @Test func `a mirror on the same server with another tag has another file`() async throws {
        var other = Resource(size: resource.size, seed: 2)
        (other.entityTag, other.lastModified) = ("\"other\"", resource.lastModified)
        let scene = try Scene(.resource(resource).rate(2_000_000))
        scene.origin.route("/mirror.bin", .resource(other))
        var settings = scene.settings(4)
        settings.mirrors = [try scene.url("/mirror.bin")]
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    /// What a mirror may have instead of the file.
    enum Other: String, CaseIterable, Sendable {
        case version, total, withoutValidators, webPage, encoded, ignoringRanges

        func reply(_ file: Resource) -> Reply {
            var other = Resource(size: file.size, seed: 2)
            switch self {
            case .version: return .resource(other)
            case .total:
                other = Resource(size: file.size + 4096, seed: 2)
                (other.entityTag, other.lastModified) = (file.entityTag, file.lastModified)
                return .resource(other)
            case .withoutValidators:
                (other.entityTag, other.lastModified) = (nil, nil)
                return .resource(other)
            case .webPage: return .htmlPortal
            case .encoded: return .resource(other).setting("Content-Encoding", "gzip")
            case .ignoringRanges: return .resource(other).ignoreRange
            }
        }
    }

    @Test(arguments: Other.allCases, Start.allCases)
    func `a mirror not proven to have the file adds no byte`(
        other: Other,
        start: Start
    ) async throws {
        let latch = Latch()
        let reply = Reply.resource(resource).holdAfterBytes(1000, until: latch)
        let both = try MirrorScene(reply, mirror: other.reply(resource))
        try await both.begin(start, of: resource, then: reply)
        let running = try both.scene.start(try both.settings(4))
        await both.mirror.waitUntil { $0.requests.contains { $0.end != nil } }
        latch.release()
        _ = try await running.file()
        try both.scene.expectFile(resource)
    }

    @Test func `the reason for not using a mirror is logged`() async throws {
        let latch = Latch()
        let both = try MirrorScene(
            .resource(resource).holdAfterBytes(1000, until: latch),
            mirror: .resource(Resource(size: Scene.size + 1))
        )
        let running = try both.scene.start(try both.settings(4))
        await running.log.wait(for: "127.0.0.1:\(both.mirror.port) is not used")
        latch.release()
        _ = try await running.file()
        #expect(running.log.says("\(Scene.size + 1) bytes instead of \(Scene.size)"))
    }

    @Test(arguments: [401, 403, 404, 410, 451], Start.allCases)
    func `a source that refuses permanently is dropped while another works`(
        status: Int,
        start: Start
    ) async throws {
        let both = try MirrorScene(.status(status), mirror: .resource(mirrored))
        try await both.begin(start, of: resource, then: .status(status))
        try await both.scene.download(try both.settings(4))
        try both.scene.expectFile(resource)
    }

    @Test(arguments: [401, 403, 404, 410, 451, 503], Start.allCases)
    func `a mirror that refuses is contacted once, and the first source continues`(
        status: Int,
        start: Start
    ) async throws {
        let latch = Latch()
        let reply = Reply.resource(resource).holdAfterBytes(1000, until: latch)
        let refusal = Reply.status(status).setting("Retry-After", "250")
        let both = try MirrorScene(reply, mirror: refusal)
        try await both.begin(start, of: resource, then: reply)
        let running = try both.scene.start(try both.settings(4))
        await both.mirror.waitUntil { $0.requests.contains { $0.end != nil } }
        latch.release()
        _ = try await running.file()
        try both.scene.expectFile(resource)
        #expect(both.asked.count == 1)
    }

    @Test func `if all sources refuse, the error states so`() async throws {
        let both = try MirrorScene(.status(404), mirror: .status(410))
        let error = try await both.scene.failure(try both.settings(4))
        #expect(error.code == .notFound)
        #expect(error.context == "trying 2 sources, which all failed")
        #expect(both.scene.folder.list().isEmpty)
    }

    @Test(arguments: Start.allCases)
    func `Retry-After of one host does not delay the other`(start: Start) async throws {
        let busy = Reply.status(503).setting("Retry-After", "250")
        let both = try MirrorScene(busy, mirror: .resource(mirrored))
        try await both.begin(start, of: resource, then: busy)
        try await both.scene.download(try both.settings(4))
        try both.scene.expectFile(resource)
        #expect(both.scene.asked.count == 1)
    }

    @Test func `one connection uses one source at a time`() async throws {
        let both = try MirrorScene(resource)
        try await both.scene.download(try both.settings(1))
        try both.scene.expectFile(resource)
        #expect(both.asked.isEmpty)
    }
}
