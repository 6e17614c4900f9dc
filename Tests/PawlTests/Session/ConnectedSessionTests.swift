import Pawl
import PawlCore
import PawlTesting
import Testing

/// Requests without a task obey the session's settings, too.
@Suite(.timeLimit(.minutes(5)))
struct ConnectedSessionTests {
    private let resource = Resource(size: 1 << 20)

    private func fetch(
        _ scene: SessionScene,
        _ session: DownloadSession,
        asStream: Bool
    ) throws -> Task<[UInt8], any Error> {
        let url = try scene.url(host: "127.1")
        return Task {
            guard asStream else { return try await session.data(from: url).bytes }
            return try await session.bytes(from: url).collect().bytes
        }
    }

    @Test(arguments: [true, false])
    func `a request does not use a forbidden metered network`(asStream: Bool) async throws {
        let scene = try SessionScene(.resource(resource))
        var metered = NetworkPath.unknown
        metered.isMetered = true
        let network = ScriptedNetwork(metered)
        var configuration = scene.configuration
        configuration.settings.allowsExpensiveNetwork = false
        let session = DownloadSession(configuration, network: network)
        let waiting = try fetch(scene, session, asStream: asStream)
        while network.observerCount == 0, !Task.isCancelled { await Task.yield() }
        if !asStream {
            while session.currentTasks.first?.state != .waitingForConnectivity, !Task.isCancelled {
                await Task.yield()
            }
        }
        #expect(scene.origin.requests.isEmpty)
        metered.isMetered = false
        network.become(metered)
        #expect(try await waiting.value == resource.bytes())
    }

    /// Returns a session that tolerates no failure except a missing network.
    private func session(
        _ scene: SessionScene,
        _ network: ScriptedNetwork,
        allowsExpensiveNetwork: Bool = true
    ) -> DownloadSession {
        var configuration = scene.configuration
        configuration.settings.waitsForConnectivity = true
        configuration.settings.allowsExpensiveNetwork = allowsExpensiveNetwork
        configuration.settings.retries = 0
        return DownloadSession(configuration, network: network)
    }

    private func expectWaits(
        _ scene: SessionScene,
        _ session: DownloadSession,
        _ network: ScriptedNetwork,
        asStream: Bool
    ) async throws {
        let waiting = try fetch(scene, session, asStream: asStream)
        while network.reads == 0, !Task.isCancelled { await Task.yield() }
        scene.origin.route("/disk.bin", .resource(resource))
        network.become(.unknown)
        #expect(try await waiting.value == resource.bytes())
    }

    @Test(arguments: [true, false])
    func `a request waits for a route`(asStream: Bool) async throws {
        let scene = try SessionScene(.hangUp(.reset))
        let network = ScriptedNetwork(.none)
        let session = session(scene, network)
        try await expectWaits(scene, session, network, asStream: asStream)
        // A waiting request can be cancelled.
        network.become(.none)
        scene.origin.route("/disk.bin", .hangUp(.reset))
        let reads = network.reads
        let other = try fetch(scene, session, asStream: asStream)
        while network.reads == reads, !Task.isCancelled { await Task.yield() }
        other.cancel()
        let error = await #expect(throws: DownloadError.self) { try await other.value }
        #expect(error?.code == .interrupted)
    }

    @Test(arguments: [true, false])
    func `a request does not wait twice for the same route`(asStream: Bool) async throws {
        let scene = try SessionScene(.hangUp(.reset))
        let network = ScriptedNetwork(.none)
        let session = session(scene, network, allowsExpensiveNetwork: false)
        try await expectWaits(scene, session, network, asStream: asStream)
    }

    @Test func `data(from -) is a task of the session, and is retried if it breaks`() async throws {
        let latch = Latch()
        let reply = Reply.resource(resource)
        let scene = try SessionScene(
            .sequence([
                reply.holdAfterBytes(1000, until: latch).afterBytes(1000, .reset), reply,
            ])
        )
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let url = try scene.url()
        let waiting = Task { try await session.data(from: url) }
        while session.currentTasks.isEmpty, !Task.isCancelled { await Task.yield() }
        session.finishTasksAndInvalidate()
        latch.release()
        #expect(try await waiting.value.bytes == resource.bytes())
        let calls = await delegate.allCalls(.invalid)
        #expect(calls.contains(.completed(nil)))
        #expect(!calls.contains { if case .received = $0 { true } else { false } })
    }
}
