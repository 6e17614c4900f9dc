import struct FoundationEssentials.URL
import PawlCore
import PawlTesting
import Testing

/// A scene whose file has a mirror: another server, which a test composes too.
struct MirrorScene: Sendable {
    let scene: Scene
    let mirror: ScriptedOrigin

    init(_ reply: Reply, mirror other: Reply) throws {
        scene = try Scene(reply)
        mirror = try ScriptedOrigin()
        mirror.route(Scene.path, other)
    }

    /// Both serve the same.
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

    /// What the mirror was asked.
    var asked: [RecordedRequest] { mirror.requests }

    /// What an interrupted run left, from the first server alone where nothing else is said.
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
    /// Where what was asked for begins.
    var firstByte: Int64 {
        if case .from(let first, _) = range { first } else { 0 }
    }
}
