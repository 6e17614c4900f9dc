import struct FoundationEssentials.URL
import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Downloads whose network disappears and returns.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ConnectivityTests {
    private let resource = Resource(size: Scene.size)
    private let metered = NetworkPath(hasIPv4Route: true, hasIPv6Route: true, isMetered: true)

    /// Settings that tolerate no failure at all.
    private func settings(_ scene: Scene) -> DownloadSettings {
        var settings = scene.settings(1)
        settings.retries = 0
        settings.waitsForConnectivity = true
        return settings
    }

    /// libcurl reads this as 127.0.0.1; Pawl treats it as a name, which needs a route.
    private func url(_ scene: Scene) throws -> URL { try scene.url(host: "127.1") }

    private func start(
        _ scene: Scene,
        _ settings: DownloadSettings,
        _ network: ScriptedNetwork,
        name: String = Scene.name,
        by process: EngineProcess? = nil,
        connectivityChanged: (@Sendable (Bool) -> Void)? = nil
    ) throws -> RunningDownload {
        let process = process ?? EngineProcess(network: network)
        return process.start(
            try url(scene),
            to: .file(scene.folder.path(name)),
            settings,
            connectivityChanged: connectivityChanged
        )
    }

    /// Returns a download whose connection broke in the middle, together with its route.
    private func interrupted(
        _ scene: Scene,
        _ settings: DownloadSettings,
        _ network: ScriptedNetwork,
        connectivityChanged: (@Sendable (Bool) -> Void)? = nil
    ) async throws -> RunningDownload {
        let latch = Latch()
        scene.serve(.resource(resource).holdAfterBytes(Scene.heldBytes, until: latch))
        let running = try start(
            scene,
            settings,
            network,
            connectivityChanged: connectivityChanged
        )
        await latch.waitForArrivals()
        await running.waitForBytes(Scene.heldBytes)
        network.become(.none)
        scene.origin.breakConnections()
        await running.wait { $0.phase == .waitingForConnectivity }
        #expect(running.progress.phase == .waitingForConnectivity)
        scene.serve(.resource(resource))
        scene.forgetRequests()
        return running
    }

    @Test func `a download waits for its route and resumes at its offset`() async throws {
        let (scene, network) = (try Scene(), ScriptedNetwork(.unknown))
        let told = Observed<[Bool]>([])
        let running = try await interrupted(scene, settings(scene), network) { isWaiting in
            told.update { $0.append(isWaiting) }
        }
        await told.wait { $0 == [true] }
        #expect(scene.asked.isEmpty)
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(told.value == [true, false])
        #expect(scene.asked.count == 1)
        let range = try #require(scene.asked.first?.range?.resolve(size: resource.size))
        #expect(range.start >= Scene.heldBytes)
        #expect(network.observerCount == 0)
    }

    @Test func `a download that starts without a route waits, too`() async throws {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.none))
        let running = try start(scene, settings(scene), network)
        await running.wait { $0.phase == .waitingForConnectivity }
        scene.serve(.resource(resource))
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
    }

    @Test func `a failure before the reported loss of the route does not count`() async throws {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.unknown))
        network.becomeSilently(.none)
        let running = try start(scene, settings(scene), network)
        await running.wait { $0.phase == .waitingForConnectivity }
        #expect(network.reads == 1)
        scene.serve(.resource(resource))
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
    }

    @Test func `without the setting the network is not checked, and the download fails`()
        async throws
    {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.none))
        var settings = settings(scene)
        settings.waitsForConnectivity = false
        let running = try start(scene, settings, network)
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .network)
        #expect(network.reads == 0)
    }

    @Test func `cancelling ends the wait, and the bytes are kept`() async throws {
        let (scene, network) = (try Scene(), ScriptedNetwork(.unknown))
        let running = try await interrupted(scene, settings(scene), network)
        running.cancel()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .interrupted)
        #expect(scene.folder.exists(Scene.name + ".part.pawl"))
        #expect(network.observerCount == 0)
    }

    @Test func `waiting counts towards the maximum duration`() async throws {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.none))
        let clock = ManualTimekeeper()
        var settings = settings(scene)
        settings.maximumDuration = .seconds(30)
        let process = EngineProcess(time: clock, network: network)
        let running = try start(scene, settings, network, by: process)
        await running.wait { $0.phase == .waitingForConnectivity }
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .timedOut)
    }

    @Test func `all waiting downloads continue`() async throws {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.none))
        let process = EngineProcess(network: network)
        let names = (1...5).map { "\($0).bin" }
        let all = try names.map {
            try start(scene, settings(scene), network, name: $0, by: process)
        }
        for running in all { await running.wait { $0.phase == .waitingForConnectivity } }
        scene.serve(.resource(resource))
        network.become(.unknown)
        for running in all { _ = try await running.file() }
        #expect(scene.folder.list() == names)
        for name in names {
            #expect(try resource.verify(fileAt: scene.folder.path(name)) == nil)
        }
    }

    // MARK: - Metered

    @Test func `nothing is requested over a metered network that is not allowed`() async throws {
        let (scene, network) = (try Scene(.resource(resource)), ScriptedNetwork(metered))
        var settings = settings(scene)
        settings.allowsExpensiveNetwork = false
        let running = try start(scene, settings, network)
        await running.wait { $0.phase == .waitingForConnectivity }
        #expect(scene.asked.isEmpty)
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
    }

    @Test func `connections are closed while the network is metered`() async throws {
        let (scene, network) = (try Scene(), ScriptedNetwork(.unknown))
        let latch = Latch()
        scene.serve(.resource(resource).holdAfterBytes(Scene.heldBytes, until: latch))
        var settings = settings(scene)
        settings.waitsForConnectivity = false
        settings.allowsExpensiveNetwork = false
        let running = try start(scene, settings, network)
        await latch.waitForArrivals()
        await running.waitForBytes(Scene.heldBytes)
        network.become(metered)
        await running.wait { $0.phase == .waitingForConnectivity }
        #expect(running.progress.connections == 0)
        latch.release()
        await scene.origin.waitForQuiet()
        scene.forgetRequests()
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(scene.asked.count == 1)
    }
}
