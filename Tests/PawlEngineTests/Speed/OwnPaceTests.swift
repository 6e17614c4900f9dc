import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// A connection is not replaced for being slow because of Pawl's own limit, or for delivering
/// nothing new.
@Suite(.timeLimit(.minutes(5)), .alone)
struct OwnPaceTests {
    private let resource = Resource(size: Scene.size)

    @Test func `skipping bytes for longer than the stall time is not a stall`() async throws {
        // A busy machine may stop the connection for longer than the stall time.
        #expect(try await quietRound { try await requestsWhileSkipping() == [200] })
    }

    /// The statuses of the responses while a download skips bytes for longer than the stall time.
    private func requestsWhileSkipping() async throws -> [Int?] {
        let scene = try Scene()
        var settings = scene.settings(1)
        let latch = Latch()
        let reply = Reply.resource(resource)
        scene.serve(reply.holdAfterBytes(900_000, until: latch))
        let first = try scene.start(settings)
        await latch.waitForArrivals()
        await first.waitForBytes(900_000)
        first.cancel()
        await #expect(throws: DownloadError.self) { try await first.file() }
        latch.release()
        await scene.origin.waitForQuiet()
        scene.forgetRequests()
        // Seven seconds of bytes that are already on disk.
        scene.serve(reply.ignoreRange.rate(150_000))
        settings.stallTimeout = .seconds(4)
        try await scene.download(settings)
        try scene.expectFile(resource)
        return scene.asked.map(\.status)
    }

    @Test func `a speed below the minimum because of Pawl's own limit is not too slow`()
        async throws
    {
        var limits = EngineSettings()
        limits.limitBytesPerSecond = 150_000
        // A busy machine may stop the connection for longer than the stall time.
        let isPatient = try await quietRound {
            let scene = try Scene(.resource(resource))
            var settings = scene.settings(1)
            settings.stallTimeout = .seconds(4)
            settings.minimumBytesPerSecond = 3_000_000
            try await scene.download(settings, by: EngineProcess(limits))
            try scene.expectFile(resource)
            return scene.asked.count == 1
        }
        #expect(isPatient)
    }
}
