import Pawl
import PawlCore
import PawlTesting
import Testing

/// The limits that apply across all downloads of one session.
@Suite(.timeLimit(.minutes(5)))
struct LimitTests {
    private func fetch(
        _ scene: DownloadScene,
        count: Int,
        _ settings: DownloadSettings
    ) async throws { try await fetch(scene, 1...count, settings) }

    private func fetch(
        _ scene: DownloadScene,
        _ numbers: ClosedRange<Int>,
        _ settings: DownloadSettings
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in numbers {
                let url = try scene.url("/\(number).bin")
                group.addTask {
                    _ = try await scene.session.download(
                        url,
                        to: scene.file("\(number).bin"),
                        adjusting: { $0 = settings }
                    )
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [1, 3])
    func `up to the limit of downloads run at once, and all finish`(limit: Int) async throws {
        var settings = SessionConfiguration.default
        settings.maximumConcurrentDownloads = limit
        let scene = try DownloadScene(settings)
        let resource = Resource(size: 100_000)
        let running = HostGate(limit: limit)
        let latch = Latch()
        scene.origin.route(
            "/*",
            .resource(resource).holdAfterBytes(50_000, until: latch).admitted(by: running)
        )
        async let all: Void = fetch(scene, count: 8, scene.fixed(1))
        await latch.waitForArrivals(limit)
        latch.release()
        try await all
        #expect(scene.folder.list() == (1...8).map { "\($0).bin" })
        for number in 1...8 {
            #expect(try resource.verify(fileAt: scene.folder.path("\(number).bin")) == nil)
        }
        #expect(running.peak == limit)
        // On a busy machine, a connection that stalls is replaced.
        #expect(running.refused <= 2)
    }

    @Test func `the limit of connections per host spans all downloads`() async throws {
        var settings = SessionConfiguration.default
        settings.connectionsPerHost = 3
        settings.maximumConcurrentDownloads = 5
        let scene = try DownloadScene(settings)
        let resource = Resource(size: 600_000)
        let latch = Latch()
        let gate = HostGate(limit: 100)
        scene.origin.route(
            "/*",
            .resource(resource).holdAfterBytes(20_000, until: latch).rate(1_000_000)
                .admitted(by: gate)
        )
        async let all: Void = fetch(scene, count: 5, scene.fixed(4))
        await latch.waitForArrivals(3)
        #expect(gate.peak == 3)
        latch.release()
        try await all
        for number in 1...5 {
            #expect(try resource.verify(fileAt: scene.folder.path("\(number).bin")) == nil)
        }
        // The origin learns a little late that a client has left. Without the limit, it would be
        // 20.
        #expect(gate.peak < 10)
    }

    private static let refusals: [Reply] = [
        .status(503), .status(429, fields: [("Retry-After", "1")]), .hangUp(.reset),
    ]

    /// The server's limit is not a failure of those that it refuses: they wait for the others.
    @Test(arguments: refusals.indices)
    func `downloads above the number that a host serves wait`(refusal: Int) async throws {
        var configuration = SessionConfiguration.default
        configuration.maximumConcurrentDownloads = 10
        let scene = try DownloadScene(configuration)
        let resource = Resource(size: 300_000)
        let (gate, latch) = (HostGate(limit: 2), Latch())
        scene.origin.route(
            "/*",
            .resource(resource).holdAfterBytes(50_000, until: latch).rate(600_000)
                .admitted(by: gate, else: Self.refusals[refusal])
        )
        var settings = scene.fixed(1)
        settings.retries = 0
        async let served: Void = fetch(scene, 1...2, settings)
        await latch.waitForArrivals(2)
        // A refusal shows a limit only after the session has seen that the host serves others.
        let first = await scene.session.downloadTasks
        #expect(first.count == 2)
        for task in first { await waitForBytes(1, of: task) }
        async let others: Void = fetch(scene, 3...10, settings)
        // Others may wait before they are refused themselves.
        await scene.origin.waitForRequests(3)
        latch.release()
        try await served
        try await others
        for number in 1...10 {
            #expect(try resource.verify(fileAt: scene.folder.path("\(number).bin")) == nil)
        }
        #expect(gate.peak == 2)
        // If the eight did not wait, each would be refused several times.
        #expect((1...24).contains(gate.refused), "\(gate.refused)")
    }

    /// Otherwise they would excuse each other for ever.
    @Test func `downloads whose responses have no body fail`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/*", .resource(Resource(size: 3_000_000)).afterBytes(0, .reset))
        var settings = scene.fixed(4)
        settings.retries = 1
        await #expect(throws: DownloadError.self) { try await fetch(scene, 1...4, settings) }
    }

    @Test func `a host that refuses everything is not a host with a limit`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/*", .status(503))
        var settings = scene.fixed(1)
        settings.retries = 1
        await #expect(throws: DownloadError.self) { try await fetch(scene, 1...4, settings) }
        #expect(scene.folder.list().isEmpty)
    }

    /// Each response is read to its end, so that its connection can be reused.
    @Test func `a host never gets more sockets than connections`() async throws {
        var settings = SessionConfiguration.default
        settings.connectionsPerHost = 3
        settings.maximumConcurrentDownloads = 5
        let scene = try DownloadScene(settings)
        scene.origin.route("/*", .resource(Resource(size: 100_000)).rate(2_000_000))
        try await fetch(scene, count: 60, scene.fixed(1))
        let snapshot = scene.origin.snapshot
        #expect(snapshot.requests.count == 60)
        #expect(snapshot.peakConnections == 3)
        #expect(snapshot.acceptedConnections == 3)
    }

    @Test func `all downloads together obey the limit of bytes per second`() async throws {
        var settings = SessionConfiguration.default
        settings.limitBytesPerSecond = 400_000
        let resource = Resource(size: 400_000)
        let time = SystemTimekeeper()
        var most = 0.0
        // A busy machine, or its disk, may stay below the limit: one round of three must reach it.
        for _ in 0..<3 where most < 150_000 {
            let scene = try DownloadScene(settings)
            scene.origin.route("/*", .resource(resource))
            let start = time.now()
            try await fetch(scene, count: 3, scene.fixed(1))
            let average = 1_200_000 / (time.now() - start).seconds
            // A little is sent ahead of the limit.
            #expect(average <= 480_000)
            most = max(most, average)
            for number in 1...3 {
                #expect(try resource.verify(fileAt: scene.folder.path("\(number).bin")) == nil)
            }
        }
        #expect(most >= 150_000)
    }
}
