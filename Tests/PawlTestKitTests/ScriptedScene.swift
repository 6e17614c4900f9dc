import Pawl
import PawlTestKit
import PawlTesting
import Testing
import struct FoundationEssentials.URL

/// A scripted server, a folder and a session for one test.
final class ScriptedScene: Sendable {
    let server: ScriptedServer
    let folder: ScratchFolder
    let session: DownloadSession

    init(
        _ configuration: SessionConfiguration = .default,
        server: ScriptedServer = ScriptedServer()
    ) throws {
        self.server = server
        folder = try ScratchFolder()
        session = Self.session(configuration, by: server)
    }

    /// Returns a session, as another process would have it.
    static func session(
        _ configuration: SessionConfiguration = .default,
        by server: ScriptedServer
    ) -> DownloadSession {
        var configuration = configuration.scripted(by: server)
        configuration.removesLeftovers = false
        return DownloadSession(configuration)
    }

    func url(_ path: String = "disk.bin", host: String = "files.example.com") throws -> URL {
        try #require(URL(string: "https://\(host)/\(path)"))
    }

    /// Downloads the file to the folder.
    @discardableResult
    func download(_ path: String = "disk.bin") async throws -> DownloadedFile {
        try await session.download(try url(path), to: .directory(folder.path))
    }

    func expectFile(_ bytes: [UInt8], _ name: String = "disk.bin") throws {
        #expect(try folder.read(name) == bytes)
        #expect(folder.list() == [name])
    }
}

extension [UInt8] {
    /// Bytes that differ from offset to offset.
    static func sample(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        ContentPattern(seed: seed).bytes(at: 0, count: count)
    }
}
