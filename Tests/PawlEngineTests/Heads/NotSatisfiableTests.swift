import PawlCore
import PawlTesting
import Testing

/// The table "Judging a head": 416.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct NotSatisfiableTests {
    private let resource = Resource(size: Scene.size)

    @Test func `a 416 with the length on disk finishes the file`() async throws {
        // All bytes arrived except the last chunk: only the answer to a range reveals the length.
        let scene = try Scene()
        let cut = Reply.resource(resource).chunked(endsProperly: false)
        scene.serve(Reply.resource(resource).choosing(cut) { $0.ordinal == 1 })
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.map(\.status) == [200, 416])
        #expect(scene.asked.last?.range == .from(Scene.size, last: nil))
    }

    @Test(arguments: Scene.connectionCounts)
    func `a 416 with another length means that the file changed`(connections: Int) async throws {
        let shorter = Resource(size: 100_000, seed: 2)
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        scene.origin.replace(Scene.path, with: shorter)
        try await scene.download(settings)
        try scene.expectFile(shorter)
        #expect(scene.asked.first?.status == 416)
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a 416 without a length leads to one request without a range`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = Reply.resource(resource).forRanges(.status(416))
        try await scene.begin(start, of: resource, settings, then: reply)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(scene.asked.count { $0.range == nil } == (start == .fresh ? 2 : 1))
        #expect(!running.log.says("starting over"))
    }

    @Test func `with all bytes on disk, a 416 without a length requests the head`() async throws {
        let scene = try Scene()
        let reply = Reply.resource(resource)
        let cut = reply.chunked(endsProperly: false)
        // A download that read the second body would wait forever.
        let head = reply.stallAfterBytes(1000)
        scene.serve(
            head.forRanges(.status(416)).choosing(cut) { $0.ordinal == 1 }
        )
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.map(\.status) == [200, 416, 200])
    }

    @Test func `a 416 without a length starts over if the file changed`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        let other = Resource(size: Scene.size, seed: 2)
        let reply = Reply.resource(other).forRanges(.status(416))
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(other)
    }

    @Test func `a 416 to a request without a range is an error`() async throws {
        let scene = try Scene(.status(416))
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .badResponse)
        #expect(scene.asked.count == 1)
    }
}
