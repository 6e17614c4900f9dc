import PawlCore
import PawlTesting
import Testing

/// The table "Judging a body": bytes that do not arrive.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct StallTests {
    private let resource = Resource(size: Scene.size)

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a connection that stalls is replaced at its offset`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        var settings = scene.settings(connections)
        let reply = Reply.resource(resource)
        let stalling = reply.choosing(reply.stallAfterBytes(50_000)) {
            $0.ordinal == (start == .fresh ? 2 : 1)
        }
        try await scene.begin(start, of: resource, settings, then: stalling)
        settings.stallTimeout = .seconds(2)
        try await scene.download(settings)
        try scene.expectFile(resource)
        let stalled = try #require(scene.asked.first { $0.bodyBytesSent == 50_000 })
        let position = (stalled.range?.first ?? 0) + 50_000
        // A busy machine may stall another connection, too.
        #expect(connections > 1 || scene.asked.contains { $0.range?.first == position })
        #expect(scene.asked.dropFirst().allSatisfy { $0.range != nil })
    }

    @Test(arguments: Scene.connectionCounts)
    func `a request that is never answered times out`(connections: Int) async throws {
        let scene = try Scene(.never)
        var settings = scene.settings(connections)
        settings.stallTimeout = .seconds(1)
        settings.retries = 1
        let error = try await scene.failure(settings)
        #expect(error.code == .timedOut)
        #expect(await scene.origin.waitForRequests(2).count == 2)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a connection below the minimum speed is replaced`(connections: Int) async throws {
        let scene = try Scene()
        let reply = Reply.resource(resource)
        scene.serve(reply.choosing(reply.rate(20_000)) { $0.ordinal == 1 })
        var settings = scene.settings(connections)
        settings.stallTimeout = .seconds(3)
        settings.minimumBytesPerSecond = 200_000
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.count >= 2)
        #expect(scene.asked.count { $0.range == nil } == 1)
    }

    @Test func `a source that stays too slow is given up, and its bytes are kept`() async throws {
        // A connection that a busy machine stalls is not too slow, but times out.
        let isTooSlow = try await quietRound {
            let scene = try Scene(.resource(resource).rate(20_000))
            var settings = scene.settings(1)
            settings.stallTimeout = .seconds(2)
            settings.minimumBytesPerSecond = 200_000
            settings.retries = 1
            let error = try await scene.failure(settings)
            scene.serve(.resource(resource))
            scene.forgetRequests()
            try await scene.download(scene.settings(1))
            try scene.expectFile(resource)
            return error.code == .tooSlow && (scene.asked.first?.range?.first ?? 0) > 0
        }
        #expect(isTooSlow)
    }

    @Test func `a download that exceeds its maximum duration ends and keeps its bytes`()
        async throws
    {
        let scene = try Scene(.resource(resource).stallAfterBytes(300_000))
        var settings = scene.settings(1)
        settings.maximumDuration = .seconds(1)
        let clock = ManualTimekeeper()
        let running = try scene.start(settings, by: EngineProcess(time: clock))
        await running.waitForBytes(300_000)
        await clock.waitForSleeper(until: clock.now() + .milliseconds(200))
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .timedOut)
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.map { $0.range?.first } == [300_000])
    }
}
