import struct FoundationEssentials.URL
import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Downloads whose network goes away and comes back.
@Suite(.timeLimit(.minutes(1)), .inTurn)
struct ConnectivityTests {
    private let resource = Resource(size: Scene.size)
    private let metered = NetworkPath(hasIPv4Route: true, hasIPv6Route: true, isMetered: true)

    /// No failure at all is borne.
    private func settings(_ scene: Scene) -> DownloadSettings {
        var settings = scene.settings(1)
        settings.retries = 0
        settings.waitsForConnectivity = true
        return settings
    }

    /// libcurl reads it as 127.0.0.1; to us it is a name, for which a route is needed.
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

    /// A download whose connection broke in its middle, with its route.
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

    @Test func `a download waits for its route and goes on where it was`() async throws {
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

    @Test func `a download that begins without a route waits too`() async throws {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.none))
        let running = try start(scene, settings(scene), network)
        await running.wait { $0.phase == .waitingForConnectivity }
        scene.serve(.resource(resource))
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
    }

    @Test func `a failure that is seen before its cause is told does not count`() async throws {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.unknown))
        network.becomeSilently(.none)
        let running = try start(scene, settings(scene), network)
        await running.wait { $0.phase == .waitingForConnectivity }
        #expect(network.looks == 1)
        scene.serve(.resource(resource))
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
    }

    @Test func `without the setting nobody looks, and it fails`() async throws {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.none))
        var settings = settings(scene)
        settings.waitsForConnectivity = false
        let running = try start(scene, settings, network)
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .network)
        #expect(network.looks == 0)
    }

    @Test func `cancelling ends the waiting, and what came is kept`() async throws {
        let (scene, network) = (try Scene(), ScriptedNetwork(.unknown))
        let running = try await interrupted(scene, settings(scene), network)
        running.cancel()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .interrupted)
        #expect(scene.folder.exists(Scene.name + ".part.pawl"))
        #expect(network.observerCount == 0)
    }

    @Test func `the time that the download may take goes on counting`() async throws {
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

    @Test func `all that wait go on`() async throws {
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

    @Test func `nothing is asked for over a metered network that is not allowed`() async throws {
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

    @Test func `connections are ended while the network is metered`() async throws {
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
