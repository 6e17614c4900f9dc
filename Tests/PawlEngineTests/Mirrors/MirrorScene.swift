import struct FoundationEssentials.URL
import PawlCore
import PawlTesting
import Testing

/// A scene whose file has a mirror: another server, which the test also scripts.
struct MirrorScene: Sendable {
    let scene: Scene
    let mirror: ScriptedOrigin

    init(_ reply: Reply, mirror other: Reply) throws {
        scene = try Scene(reply)
        mirror = try ScriptedOrigin()
        mirror.route(Scene.path, other)
    }

    /// A scene whose servers serve the same file.
    init(_ resource: Resource) throws {
        try self.init(.resource(resource), mirror: .resource(resource))
    }

    func mirrorURL() throws -> URL { try #require(URL(string: mirror.url(Scene.path))) }

    /// The settings of a download from both.
    func settings(_ connections: Int) throws -> DownloadSettings {
        var settings = scene.settings(connections)
        settings.mirrors = [try mirrorURL()]
        return settings
    }

    /// The requests that the mirror received.
    var asked: [RecordedRequest] { mirror.requests }

    /// Creates what an interrupted run left, by default from the first server alone.
    func begin(
        _ start: Start,
        of resource: Resource,
        then reply: Reply,
        _ settings: DownloadSettings? = nil
    ) async throws {
        if start == .resumed {
            try await scene.interrupt(.resource(resource), settings ?? scene.settings(1))
        }
        scene.serve(reply)
    }
}

extension RecordedRequest {
    /// The first byte of the requested range.
    var firstByte: Int64 {
        if case .from(let first, _) = range { first } else { 0 }
    }
}
