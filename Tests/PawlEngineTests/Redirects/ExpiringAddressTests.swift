import PawlCore
import PawlTesting
import Testing

/// The table "Judging a head": 401, 403, 404, 410 from a URL that a redirect returned.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ExpiringAddressTests {
    private let resource = Resource(size: Scene.size)
    private static let statuses = [401, 403, 404, 410]

    /// Redirects to a URL that is signed again each time and serves `requests` requests.
    private func signing(_ scene: Scene, requests: Int, status: Int, _ reply: Reply) {
        scene.serve(.redirect { "/signed.bin?token=\($0.ordinal)" })
        scene.origin.route("/signed.bin", reply.expireAfter(requests: requests, status: status))
    }

    @Test(arguments: statuses)
    func `an address that expires in the middle is requested again once`(status: Int) async throws {
        let scene = try Scene()
        let reply = Reply.resource(resource)
        let breaking = reply.choosing(reply.afterBytes(300_000, .reset)) { $0.ordinal == 1 }
        signing(scene, requests: 1, status: status, breaking)
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.map(\.status) == [302, 200, status, 302, 206])
        #expect(scene.asked.last?.range?.first == 300_000)
    }

    @Test(arguments: statuses)
    func `four segments request the original URL once per batch of refusals`(
        status: Int
    ) async throws {
        let scene = try Scene(.redirect { "/signed.bin?token=\($0.ordinal)" })
        let latch = Latch()
        let reply = Reply.resource(resource).holdAfterBytes(1000, until: latch)
        let refusals = Latch()
        let expired = Reply.status(status).holdHead(until: refusals)
        // The first address serves one request; the three that follow at once are refused together.
        scene.origin.route("/signed.bin", reply)
        scene.origin.route("/signed.bin?token=1", reply.from(request: 2, expired))
        let running = try scene.start(scene.settings(4))
        await refusals.waitForArrivals(3)
        refusals.release()
        await latch.waitForArrivals(4)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(scene.asked.count { $0.status == status } == 3)
        #expect(scene.origin.requests(to: Scene.path).count == 2)
    }

    @Test(arguments: statuses, Scene.connectionCounts)
    func `an address that expired between two runs does not prevent resuming`(
        status: Int,
        connections: Int
    ) async throws {
        let scene = try Scene()
        scene.origin.route("/signed.bin", .status(status))
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        signing(scene, requests: 2, status: status, .resource(resource))
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.allSatisfy { $0.status != 200 })
    }

    @Test(arguments: statuses, Scene.connectionCounts)
    func `if the original URL leads to a dead address again, the source fails`(
        status: Int,
        connections: Int
    ) async throws {
        let scene = try Scene()
        signing(scene, requests: 0, status: status, .resource(resource))
        let error = try await scene.failure(scene.settings(connections))
        #expect(error.code == (status == 404 || status == 410 ? .notFound : .unauthorized))
        #expect(scene.asked.map(\.status) == [302, status, 302, status])
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `another version behind the new address starts over`() async throws {
        let other = Resource(size: Scene.size, seed: 2)
        let scene = try Scene()
        let reply = Reply.resource(other).choosing(
            .resource(resource).afterBytes(300_000, .reset)
        ) { $0.ordinal == 1 }
        signing(scene, requests: 1, status: 403, reply)
        try await scene.download(scene.settings(1))
        try scene.expectFile(other)
    }
}
