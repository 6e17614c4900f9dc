import PawlCore
import PawlTesting
import Testing

/// The number of connections, and the handling of slow ones.
@Suite(.timeLimit(.minutes(5)), .alone)
struct ConnectionNumberTests {
    @Test(arguments: [1, 2, 3, 4])
    func `a very slow connection costs little time`(crawling: Int) async throws {
        let resource = Resource(size: 2 << 20)
        let elapsed = try await leastSeconds(under: 13) {
            let scene = try Scene(
                .resource(resource).perConnectionRate { $0 == crawling ? 20_000 : 800_000 }
            )
            try await scene.download(scene.settings(4))
            try scene.expectFile(resource)
        }
        // A quarter of the file over the slow connection would take 26 s. The ideal is 0.9 s, on an
        // idle machine.
        #expect(elapsed < 13)
    }

    @Test func `a connection that stops near the end is raced`() async throws {
        let resource = Resource(size: 2 << 20)
        let reply = Reply.resource(resource).rate(1_000_000)
        let process = EngineProcess()
        let elapsed = try await leastSeconds(under: 10) {
            let scene = try Scene(
                reply.choosing(reply.stallAfterBytes(450_000)) { $0.ordinal == 3 }
            )
            try await scene.download(scene.settings(4), by: process)
            try scene.expectFile(resource)
        }
        // The stall time is 30 s.
        #expect(elapsed < 10, "\(process.log.text)")
    }

    @Test func `a link that one stream fills keeps one stream`() async throws {
        // On a busy machine a trial may seem to increase the speed: one round of three must pass.
        var rounds: [String] = []
        while rounds.count < 3 {
            let (late, asked) = try await connectionsOnFullLink()
            if late == 1, asked <= 3 { return }
            rounds.append("\(late) near the end, \(asked) requests")
        }
        Issue.record("\(rounds)")
    }

    /// The number of connections near the end, and the total number of requests.
    private func connectionsOnFullLink() async throws -> (late: Int, asked: Int) {
        let link = SharedLink(bytesPerSecond: 2_500_000)
        let size: Int64 = 5 << 20
        let resource = Resource(size: size)
        let scene = try Scene(.resource(resource).through(link))
        var settings = DownloadSettings()
        settings.connections = .automatic
        let running = try scene.start(settings)
        let late = await scene.origin.waitUntil { $0.bodyBytesSent >= size * 8 / 10 }
        _ = try await running.file()
        try scene.expectFile(resource)
        return (late.activeExchanges, scene.asked.count)
    }

    @Test func `a server that limits each connection gets several`() async throws {
        let resource = Resource(size: 3 << 20)
        var peaks: [Int] = []
        let elapsed = try await leastSeconds(under: 6) {
            let scene = try Scene(.resource(resource).rate(300_000))
            var settings = DownloadSettings()
            settings.connections = .automatic
            try await scene.download(settings)
            try scene.expectFile(resource)
            peaks.append(scene.origin.snapshot.peakConnections)
        }
        // One connection takes 10.5 s.
        #expect(elapsed < 6)
        #expect(peaks.contains { $0 >= 4 }, "\(peaks)")
    }

    /// The lane for small files has sent the first request: its latency counts nevertheless.
    @Test func `a first byte that takes long opens several connections at once`() async throws {
        let resource = Resource(size: 32 << 20)
        let latch = Latch()
        let reply = Reply.resource(resource).delayHead(.milliseconds(200))
        let scene = try Scene(reply.holdAfterBytes(200_000, until: latch))
        var settings = DownloadSettings()
        settings.connections = .automatic
        let running = try scene.start(settings)
        // Without a further byte, no trial can show that more connections are faster.
        await latch.waitForArrivals(8)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(resource)
    }

    @Test func `a fixed number of connections is opened exactly`() async throws {
        let resource = Resource(size: Scene.size)
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(1000, until: latch))
        let running = try scene.start(scene.settings(6))
        await latch.waitForArrivals(6)
        #expect(scene.origin.snapshot.peakConnections == 6)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(resource)
    }
}
