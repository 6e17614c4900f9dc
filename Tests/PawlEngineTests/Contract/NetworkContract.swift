import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// The rows of docs/urlsession.md that need a scripted network.
@Suite("Contract: the network", .timeLimit(.minutes(5)), .inTurn)
struct NetworkContract {
    private let resource = Resource(size: Scene.size)

    /// Starts a download from a name, which needs a route, without retries.
    private func start(
        _ scene: Scene,
        _ network: ScriptedNetwork,
        _ change: (inout DownloadSettings) -> Void
    ) throws -> RunningDownload {
        var settings = scene.settings(1)
        settings.retries = 0
        change(&settings)
        return EngineProcess(network: network).start(
            try scene.url(host: "127.1"),
            to: .file(scene.folder.path(Scene.name)),
            settings
        )
    }

    @Test("allowsCellularAccess")
    func expensiveNetwork() async throws {
        let metered = NetworkPath(hasIPv4Route: true, hasIPv6Route: true, isMetered: true)
        let (scene, network) = (try Scene(.resource(resource)), ScriptedNetwork(metered))
        let running = try start(scene, network) { $0.allowsExpensiveNetwork = false }
        await running.wait { $0.phase == .waitingForConnectivity }
        #expect(scene.asked.isEmpty)
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
    }

    @Test("waitsForConnectivity")
    func waiting() async throws {
        let (scene, network) = (try Scene(.hangUp(.reset)), ScriptedNetwork(.none))
        let running = try start(scene, network) { $0.waitsForConnectivity = true }
        await running.wait { $0.phase == .waitingForConnectivity }
        scene.serve(.resource(resource))
        network.become(.unknown)
        _ = try await running.file()
        try scene.expectFile(resource)
    }
}
