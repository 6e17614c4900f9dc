import Pawl
import PawlCore
import PawlTesting
import Testing

/// Idle tasks give their slot to other tasks.
@Suite(.timeLimit(.minutes(5)))
struct RunSlotTests {
    private let resource = Resource(size: 1 << 20)
    private let huge = Resource(size: 200 << 20)

    /// A session that runs one task at a time, and a route to another file.
    private func session(
        _ scene: SessionScene,
        network: (any NetworkPathMonitoring)? = nil
    ) -> DownloadSession {
        scene.origin.route("/other", .resource(resource))
        var configuration = scene.configuration
        configuration.maximumConcurrentDownloads = 1
        configuration.settings.waitsForConnectivity = true
        configuration.settings.retries = 0
        return DownloadSession(configuration, network: network)
    }

    private func expectAnother(_ scene: SessionScene, _ session: DownloadSession) async throws {
        let file = try await session.download(
            try scene.url("/other"),
            to: scene.target("other")
        )
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test func `a suspended data task lets others start`() async throws {
        let scene = try SessionScene(holding: resource, after: 1000)
        let session = session(scene)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        while task.response == nil, !Task.isCancelled { await Task.yield() }
        task.suspend()
        try await expectAnother(scene, session)
        #expect(task.state == .suspended)
        task.cancel()
    }

    @Test func `a reader may start a download while it reads`() async throws {
        let scene = try SessionScene(.resource(huge))
        let session = session(scene)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        for try await _ in task.bytes {
            try await expectAnother(scene, session)
            break
        }
        #expect(task.state == .cancelled)
    }

    @Test func `data(from -) does not wait behind other tasks`() async throws {
        let scene = try SessionScene(holding: resource, after: 1000)
        let session = session(scene)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        while task.response == nil, !Task.isCancelled { await Task.yield() }
        #expect(try await session.data(from: try scene.url("/other")).bytes == resource.bytes())
        #expect(task.state == .running)
        task.cancel()
    }

    @Test(arguments: [true, false])
    func `a task that waits for the network lets others start`(isDownload: Bool) async throws {
        let scene = try SessionScene(.hangUp(.reset))
        let network = ScriptedNetwork(.none)
        let session = session(scene, network: network)
        // Pawl treats this as a name, which needs a route; 127.0.0.1 is always reachable.
        let url = try scene.url(host: "127.1")
        let task: SessionTask =
            isDownload
            ? session.downloadTask(with: url, to: scene.target())
            : session.dataTask(with: url) { _ in }
        task.resume()
        while task.state != .waitingForConnectivity, !Task.isCancelled { await Task.yield() }
        try await expectAnother(scene, session)
        #expect(task.state == .waitingForConnectivity)
        scene.origin.route("/disk.bin", .resource(resource))
        network.become(.unknown)
        for await _ in task.progress {}
        #expect(task.state == .finished)
    }
}
