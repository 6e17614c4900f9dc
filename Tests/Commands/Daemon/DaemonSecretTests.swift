import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Secrets of a download that gets another URL.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonSecretTests {
        private let resource = Resource(size: 100_000)

        /// A paused download with secrets, and another server, which requires a name and password.
        private func begin(
            _ scene: DaemonScene,
            in folder: String,
            name: String = "nobody",
            password: String = "hunter2"
        ) async throws -> ScriptedOrigin {
            scene.workshop.serve(.resource(resource))
            let other = try ScriptedOrigin()
            other.route(
                Workshop.path,
                .resource(resource).requireBasic(name: name, password: password)
            )
            try await scene.succeed(
                "add",
                "--paused",
                scene.workshop.url,
                "-d",
                folder,
                "--user",
                "nobody:hunter2",
                "-H",
                "Cookie: session=c00kie",
                "-H",
                "X-Api-Key: k3y"
            )
            return other
        }

        private func expectNoSecret(
            at other: ScriptedOrigin,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(!other.requests.isEmpty, sourceLocation: sourceLocation)
            for request in other.requests {
                for name in ["Authorization", "Cookie", "X-Api-Key"] {
                    #expect(request[name] == nil, "\(name)", sourceLocation: sourceLocation)
                }
            }
        }

        @Test func `the cookies of one download are not sent by others`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let (origin, folder) = (scene.workshop.origin, scene.workshop.folder.path)
            origin.route("/login", .redirect(to: "/file").setting("Set-Cookie", "id=7; Path=/"))
            let file = Reply.resource(resource)
            origin.route(
                "/file",
                Reply.status(403).choosing(file) { $0.request["Cookie"] == "id=7" }
            )
            try await scene.succeed("add", origin.url("/login"), "-d", folder, "-o", "mine")
            try await scene.succeed("wait", "1")
            try await scene.succeed("add", origin.url("/file"), "-d", folder, "-o", "other")
            expectFailure(.unauthorized, try await scene.run("wait", "2"))
            #expect(origin.requests.last?["Cookie"] == nil)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a secret in the path is not in a download's name`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let url = "http://example.org/disk.iso;token=s3kr1tS3kr1t99"
            let added = try await scene.succeed("add", "--paused", url)
            let list = try await scene.succeed("list", "--json")
            for text in [added.output, list.output] {
                #expect(!text.contains("s3kr1t") && text.contains("disk.iso"), "\(text)")
            }
            withExtendedLifetime(daemon) {}
        }

        @Test func `another server gets no secret from pawl set`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let other = try await begin(scene, in: scene.workshop.folder.path)
            try await scene.succeed("set", "--url", other.url(Workshop.path), "1")
            try await scene.succeed("resume", "1")
            expectFailure(.unauthorized, try await scene.run("wait", "1"))
            expectNoSecret(at: other)
            withExtendedLifetime(daemon) {}
        }

        @Test func `only the secrets that pawl set sets with the URL are sent`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let folder = scene.workshop.folder.path
            let other = try await begin(scene, in: folder, name: "me", password: "new")
            let url = other.url(Workshop.path)
            try await scene.succeed(
                "set",
                "--url",
                url,
                "--user",
                "me:new",
                "-H",
                "Cookie: other=1",
                "1"
            )
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            let request = try #require(other.requests.first)
            #expect(request["Cookie"] == "other=1")
            #expect(request["X-Api-Key"] == nil)
            // `me:new` (RFC 7617), sent after the server has requested it.
            #expect(other.requests.last?["Authorization"] == "Basic bWU6bmV3")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a header for every server can be set again and is kept with another URL`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let other = try ScriptedOrigin()
            other.route(Workshop.path, .resource(resource))
            let folder = scene.workshop.folder.path
            try await scene.succeed("add", "--paused", scene.workshop.url, "-d", folder)
            let fields = ["-H", "X-Own: 1", "--redirect-header", "X-Any: 2"]
            let set = try await scene.workshop.run(["set"] + fields + ["1"], scene.settings)
            #expect(set.status == .code(0), "\(set.errors)")
            let secret = try await scene.run("set", "--redirect-header", "Cookie: hunter2", "1")
            expectFailure(.usage, secret)
            #expect(!secret.everything.contains("hunter2"))
            try await scene.succeed("set", "--url", other.url(Workshop.path), "1")
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            #expect(!other.requests.isEmpty)
            for request in other.requests {
                #expect(request["X-Any"] == "2" && request["X-Own"] == nil)
            }
            withExtendedLifetime(daemon) {}
        }

        @Test func `the same server keeps receiving secrets`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            _ = try await begin(scene, in: scene.workshop.folder.path)
            try await scene.succeed("set", "--url", "\(scene.workshop.url)?sig=2", "1")
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            let request = try #require(scene.workshop.origin.requests.last)
            #expect(request["X-Api-Key"] == "k3y")
            #expect(request["Cookie"] == "session=c00kie")
            withExtendedLifetime(daemon) {}
        }

        @Test func `another server gets no secret over TCP`() async throws {
            let network = try await NetworkScene.make()
            let scene = network.scene
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let other = try await begin(scene, in: scene.home.path("Downloads"))
            let url = other.url(Workshop.path)
            let body = #"{"selection":{"targets":["1"]},"changes":{"url":"\#(url)"}}"#
            let answer = try await network.ask("POST", "/v1/changes", body)
            #expect(answer.status == 200, "\(answer.body)")
            try await scene.succeed("resume", "1")
            expectFailure(.unauthorized, try await scene.run("wait", "1"))
            expectNoSecret(at: other)
        }
    }
}
