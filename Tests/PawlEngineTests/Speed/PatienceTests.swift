import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// `Retry-After`, and servers that allow only a limited number of connections.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct PatienceTests {
    private let resource = Resource(size: Scene.size)

    private func waited(_ scene: Scene) -> Duration {
        let moments = scene.asked.map(\.moment)
        guard moments.count >= 2 else { return .zero }
        return moments[1] - moments[0]
    }

    @Test(arguments: [429, 503])
    func `Retry-After in seconds is obeyed`(status: Int) async throws {
        let busy = Reply.status(status, fields: [("Retry-After", "1")])
        let scene = try Scene(.sequence([busy, .resource(resource)]))
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 2)
        #expect(waited(scene) >= .seconds(1))
    }

    @Test func `Retry-After as a date is obeyed`() async throws {
        // By the server's clock, which differs from ours.
        let now = "Tue, 04 Nov 2025 10:00:00 GMT"
        let then = "Tue, 04 Nov 2025 10:00:01 GMT"
        let busy = Reply.status(503, fields: [("Date", now), ("Retry-After", then)])
        let scene = try Scene(.sequence([busy, .resource(resource)]))
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 2)
        #expect(waited(scene) >= .seconds(1))
    }

    @Test func `Retry-After applies to every download from that host`() async throws {
        let scene = try Scene()
        scene.serve(
            .sequence([.status(429, fields: [("Retry-After", "1")]), .resource(resource)])
        )
        scene.origin.route("/other.bin", .resource(resource))
        let process = EngineProcess()
        let first = try scene.start(scene.settings(1), by: process)
        await first.waitUntilRetrying()
        try await scene.download(
            scene.settings(1),
            from: "/other.bin",
            to: "other.bin",
            by: process
        )
        _ = try await first.file()
        let refusal = try #require(scene.asked.first)
        #expect(scene.asked.dropFirst().allSatisfy { $0.moment - refusal.moment >= .seconds(1) })
        #expect(scene.folder.list() == [Scene.name, "other.bin"])
    }

    @Test
    func `a download that waits alone for a closed host continues when it opens`() async throws {
        let clock = ManualTimekeeper()
        let busy = Reply.status(429, fields: [("Retry-After", "60")])
        let scene = try Scene(busy.from(request: 2, .resource(resource)))
        let process = EngineProcess(time: clock)
        let first = try scene.start(scene.settings(1), by: process)
        await first.waitUntilRetrying()
        let second = try scene.start(scene.settings(1), to: "other.bin", by: process)
        // The first waits for its retry, the second in the host's queue.
        await second.wait { _ in process.engine.budgets.hosts.contains { $0.waiting == 1 } }
        first.cancel()
        await #expect(throws: DownloadError.self) { try await first.file() }
        clock.advance(by: .seconds(59))
        await clock.waitForSleepers(1)
        #expect(scene.asked.count == 1)
        clock.advance(by: .seconds(1))
        _ = try await second.file()
        try scene.expectFile(resource, name: "other.bin")
        #expect(scene.asked.count == 2)
    }

    @Test func `a server that asks for too long a wait is given up`() async throws {
        let scene = try Scene(.status(503, fields: [("Retry-After", "3600")]))
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .serverBusy)
        #expect(error.advice.contains("3600 s, longer than `maximumRetryAfter` allows"))
        #expect(scene.asked.count == 1)
    }

    @Test func `the longest wait that a server may ask for can be chosen`() async throws {
        let scene = try Scene(.status(503, fields: [("Retry-After", "60")]))
        var settings = scene.settings(1)
        settings.maximumRetryAfter = .seconds(59)
        let error = try await scene.failure(settings)
        #expect(error.advice.contains("60 s, longer than"), "\(error)")
        #expect(scene.asked.count == 1)
    }

    @Test(arguments: [429, 503])
    func `a server that refuses further connections gets fewer`(status: Int) async throws {
        let gate = HostGate(limit: 2)
        let scene = try Scene(
            .resource(resource).rate(700_000).admitted(by: gate, else: .status(status))
        )
        try await scene.download(scene.settings(4))
        try scene.expectFile(resource)
        #expect(gate.peak == 2)
        #expect(gate.refused <= 4)
    }

    @Test func `a server that cuts all connections but one gets one`() async throws {
        let gate = HostGate(limit: 1)
        let scene = try Scene(
            .resource(resource).rate(1_500_000).admitted(by: gate, else: .hangUp(.reset))
        )
        try await scene.download(scene.settings(4))
        try scene.expectFile(resource)
        // Four at once, and again while it is not yet known that only one is allowed.
        #expect(gate.refused <= 24)
    }
}

extension RunningDownload {
    /// Waits until the download is waiting to retry.
    func waitUntilRetrying() async {
        while progress.phase != .retrying, !progress.phase.isEnd, !Task.isCancelled {
            await Task.yield()
        }
    }
}
