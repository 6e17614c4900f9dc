import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// From a program to the daemon, into its store and out of it, to the download that the daemon
/// runs.
@Suite(.timeLimit(.minutes(5)))
struct SettingsJourneyTests {
    private typealias Document = SettingsDocument<DownloadSettings>

    /// The settings as the daemon's download gets them after a restart of the daemon.
    private func arrived(_ settings: DownloadSettings) throws -> DownloadSettings {
        let new = NewDownload(
            url: "https://host.example/file",
            destination: "/tmp/",
            settings: Document(settings)
        )
        let request = try WireJSON.encode(NewDownloads([new]))
        let received = try WireJSON.decode(NewDownloads.self, from: request).downloads[0]
        let folder = try StoreScene.makeFolder()
        let path = folder.path(StoreScene.name)
        let kept = try WireJSON.encode(received)
        let id = try StoreScene.add(
            "file",
            secret: String(decoding: kept, as: UTF8.self),
            to: SQLiteStore(path: path)
        )
        let body = try #require(
            try SQLiteStore(path: path).write { try $0.requests.request(of: id) }
        )
        return try WireJSON.decode(NewDownload.self, from: body).checked().settings
    }

    /// The daemon's own default: it waits for the network.
    private func expected(_ settings: DownloadSettings) -> DownloadSettings {
        var settings = settings
        settings.waitsForConnectivity = true
        return settings
    }

    @Test(arguments: DownloadSettings.table.settings.map(\.name).filter { $0 != "adopt" })
    func `a setting arrives with a value that is not its default`(name: String) throws {
        let settings = try SettingSamples.settings([name])
        #expect(Document(try arrived(settings)) == Document(expected(settings)))
    }

    @Test func `all settings arrive together`() throws {
        let settings = try SettingSamples.settings(DownloadSettings.table.settings.map(\.name))
        let arrived = try arrived(settings)
        #expect(Document(arrived) == Document(settings))
        #expect(arrived.fields == settings.fields)
        #expect(arrived.credentials == settings.credentials)
        #expect(arrived.maximumRetryAfter == .seconds(90))
    }
}
