import Pawl
import PawlCore
import PawlTesting
import Testing

/// Tasks that do nothing for now, and others that want to begin.
@Suite(.timeLimit(.minutes(1)))
struct StartPlaceTests {
    private let resource = Resource(size: 1 << 20)
    private let huge = Resource(size: 200 << 20)

    /// One task at a time, and a route to another file.
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
            from: try scene.url("/other"),
            to: scene.place("other")
        )
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test func `a suspended data task lets others begin`() async throws {
        let scene = try SessionScene(.resource(resource).holdAfterBytes(1000, until: Latch()))
        let session = session(scene)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        while task.response == nil, !Task.isCancelled { await Task.yield() }
        task.suspend()
        try await expectAnother(scene, session)
        #expect(task.state == .suspended)
        task.cancel()
    }

    @Test func `a reader may download what it reads of`() async throws {
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

    @Test func `data(from -) waits for nobody's place`() async throws {
        let scene = try SessionScene(.resource(resource).holdAfterBytes(1000, until: Latch()))
        let session = session(scene)
        let task = session.downloadTask(with: try scene.url(), to: scene.place())
        task.resume()
        while task.response == nil, !Task.isCancelled { await Task.yield() }
        #expect(try await session.data(from: try scene.url("/other")).bytes == resource.bytes())
        #expect(task.state == .running)
        task.cancel()
    }

    @Test(arguments: [true, false])
    func `one that waits for the network lets others begin`(isDownload: Bool) async throws {
        let scene = try SessionScene(.hangUp(.reset))
        let network = ScriptedNetwork(.none)
        let session = session(scene, network: network)
        // To us it is a name, for which a route is needed; 127.0.0.1 is always there.
        let url = try scene.url(host: "127.1")
        let task: SessionTask =
            isDownload
            ? session.downloadTask(with: url, to: scene.place())
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
