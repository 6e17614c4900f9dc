import Foundation
import Pawl
import PawlCore
import PawlTesting
import Testing

/// An origin, a folder, and a session that downloads from one into the other.
final class FoundationScene: Sendable {
    let origin: ScriptedOrigin
    let folder: ScratchFolder
    let session: DownloadSession
    private let temporary: ScratchFolder

    init(_ reply: Reply, at path: String = "/disk.bin") throws {
        origin = try ScriptedOrigin()
        folder = try ScratchFolder()
        temporary = try ScratchFolder()
        var configuration = SessionConfiguration.default
        configuration.settings.connections = .fixed(1)
        configuration.settings.retries = 0
        configuration.temporaryDirectory = temporary.path
        session = DownloadSession(configuration)
        origin.route(path, reply)
    }

    func url(_ path: String = "/disk.bin") throws -> URL {
        try #require(URL(string: origin.url(path)))
    }

    /// The file URL of an entry of the folder.
    func target(_ name: String = "disk.bin") -> URL {
        URL(filePath: folder.path(name), directoryHint: .notDirectory)
    }
}
