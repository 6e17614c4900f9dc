import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// The settings of the daemon and of downloads in the store.
@Suite(.timeLimit(.minutes(5)))
struct SettingsContractTests {
    @Test(arguments: StoreKind.allCases)
    func `all settings of a download are kept`(kind: StoreKind) async throws {
        let settings = try SettingSamples.settings(DownloadSettings.table.settings.map(\.name))
        let new = NewDownload(
            url: "https://host.example/file",
            destination: "/tmp/",
            settings: SettingsDocument(settings)
        )
        let kept = try WireJSON.encode(new)
        let scene = try await ContractScene(kind)
        let id = try scene.add("file", secret: String(decoding: kept, as: UTF8.self))
        let store = try scene.reopened()
        let body = try #require(try await store.read { try $0.requests.request(of: id) })
        #expect(body == kept)
        let found = try WireJSON.decode(NewDownload.self, from: body).checked().settings
        #expect(SettingsDocument(found) == SettingsDocument(settings))
    }

    @Test(arguments: StoreKind.allCases)
    func `the settings of the daemon are kept`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        #expect(try await scene.store.read { try $0.settings.settings() } == DaemonSettings())
        var settings = DaemonSettings()
        settings.limitBytesPerSecond = 7
        try scene.store.write { [settings] in try $0.settings.set(settings) }
        let store = try scene.reopened()
        #expect(try await store.read { try $0.settings.settings() } == settings)
    }
}
