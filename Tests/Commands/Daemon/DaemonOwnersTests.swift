import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// How downloads of different owners and servers treat each other's partial files.
    @Suite(.timeLimit(.minutes(2)), .serialized)
    struct DaemonOwnersTests {
        private let resource = Resource(size: 12 << 20, seed: 1)

        /// The user's download 1, paused in the middle.
        private func leavePartialFile(in scene: DaemonScene) async throws {
            let folder = scene.workshop.folder
            scene.workshop.serve(.resource(resource).holdAfterBytes(4 << 20, until: Latch()))
            try await scene.succeed("add", scene.workshop.url, "-d", folder.path, "-x", "1")
            try await FolderWatch.wait(for: "disk.iso.part", in: folder)
            try await scene.succeed("pause", "1")
        }

        @Test func `a program ignores the user's download of the same URL`()
            async throws
        {
            let access = try await AccessScene.make()
            let scene = access.network.scene
            let folder = scene.workshop.folder
            try await scene.succeed("daemon", "allow", "--folder", folder.path)
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            try await leavePartialFile(in: scene)

            scene.workshop.serve(.resource(resource))
            let body =
                #"{"downloads":[{"url":"\#(scene.workshop.url)","destination":"\#(folder.path)/"}]}"#
            let added = try await access.ask(AccessScene.adder, "POST", "/v1/downloads", body)
            #expect(added.status == 201, "\(added.body)")
            try await scene.succeed("wait", "2")
            let names = ["disk.1.iso", "disk.iso.part", "disk.iso.part.pawl"]
            #expect(folder.list() == names)
            let before = scene.workshop.origin.requests.count
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            let again = scene.workshop.origin.requests.dropFirst(before)
            #expect(again.allSatisfy { ($0.range?.first ?? 0) > 0 }, "the first started over")
            for name in ["disk.iso", "disk.1.iso"] {
                #expect(try resource.verify(fileAt: folder.path(name)) == nil, "\(name)")
            }
        }

        @Test func `another server's file of the same path and tag is another file`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let folder = scene.workshop.folder
            try await leavePartialFile(in: scene)
            let other = try ScriptedOrigin()
            var evil = Resource(size: resource.size, seed: 2)
            evil.entityTag = resource.entityTag
            other.route(Workshop.path, .resource(evil))
            try await scene.succeed("add", other.url(Workshop.path), "-d", folder.path)
            try await scene.succeed("wait", "2")
            #expect(try evil.verify(fileAt: folder.path("disk.1.iso")) == nil)
            #expect(folder.list().contains("disk.iso.part"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `with a URL of another server it resumes from the received bytes`() async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let folder = scene.workshop.folder
            try await leavePartialFile(in: scene)
            let other = try ScriptedOrigin()
            other.route(Workshop.path, .resource(resource))
            try await scene.succeed("set", "--url", other.url(Workshop.path), "1")
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            #expect(try resource.verify(fileAt: folder.path("disk.iso")) == nil)
            #expect(folder.list() == ["disk.iso"])
            #expect(other.requests.contains { ($0.range?.first ?? 0) > 0 }, "it started over")
            withExtendedLifetime(daemon) {}
        }
    }
}
