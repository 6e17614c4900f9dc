import struct FoundationEssentials.URL
import Pawl
import PawlTesting
import Testing

/// An origin, a folder and a downloader for one test.
final class LibraryScene: Sendable {
    static let size: Int64 = 1 << 20

    let origin: ScriptedOrigin
    let folder: ScratchFolder
    let downloader: Downloader

    init(_ settings: DownloaderSettings = DownloaderSettings()) throws {
        origin = try ScriptedOrigin()
        folder = try ScratchFolder()
        downloader = Downloader(settings: settings)
    }

    func url(_ path: String = "/disk.bin") throws -> URL {
        try #require(URL(string: origin.url(path)))
    }

    func file(_ name: String = "disk.bin") -> Destination { .file(folder.path(name)) }

    func fixed(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        return settings
    }
}
