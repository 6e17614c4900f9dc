import struct FoundationEssentials.URL
import Pawl
import PawlTesting
import Testing

/// An origin, a folder and a session for one test.
final class DownloadScene: Sendable {
    static let size: Int64 = 1 << 20

    let origin: ScriptedOrigin
    let folder: ScratchFolder
    let session: DownloadSession

    init(_ configuration: SessionConfiguration = .default) throws {
        origin = try ScriptedOrigin()
        folder = try ScratchFolder()
        session = Self.session(configuration)
    }

    /// Returns a session, as another process would have it.
    static func session(_ configuration: SessionConfiguration = .default) -> DownloadSession {
        var configuration = configuration
        configuration.removesLeftovers = false
        return DownloadSession(configuration)
    }

    func url(_ path: String = "/disk.bin") throws -> URL {
        try #require(URL(string: origin.url(path)))
    }

    func file(_ name: String = "disk.bin") -> Destination { .file(folder.path(name)) }

    func file(_ name: String = "disk.bin") -> TaskDestination { .file(folder.path(name)) }

    func fixed(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        return settings
    }

    /// Creates a task, which `session.finish` runs.
    func task(
        _ url: URL,
        to destination: TaskDestination,
        settings: DownloadSettings? = nil
    ) -> DownloadTask {
        var request = DownloadRequest(url)
        if let settings { request.adjust { $0 = settings } }
        return session.downloadTask(with: request, to: destination)
    }
}
