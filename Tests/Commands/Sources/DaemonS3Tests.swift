import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// `s3:` URLs in the daemon, whose user has credentials.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonS3Tests {
        private let resource = Resource(size: 300_000)

        /// Serves an object to signed requests, and lets the user's files name the server.
        private func prepare(_ scene: DaemonScene, _ origin: ScriptedOrigin) throws {
            origin.route(
                "/photos/disk.iso",
                Reply.resource(resource).choosing(.status(403, body: "<Error/>")) {
                    $0.request["Authorization"]?.contains("Credential=OWN/") != true
                }
            )
            try scene.home.makeFolder(".aws")
            try scene.home.write(
                ".aws/config",
                """
                [default]
                aws_access_key_id = OWN
                aws_secret_access_key = s3cret
                endpoint_url = \(origin.url(""))

                """
            )
        }

        @Test func `a download that is added over TCP has no credentials of the user`()
            async throws
        {
            let origin = try ScriptedOrigin()
            let network = try await NetworkScene.make()
            try prepare(network.scene, origin)
            try await network.scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let answer = try await network.ask(
                "POST",
                "/v1/downloads",
                """
                {"downloads":[{"url":"s3://photos/disk.iso","destination":"",\
                "settings":{"s3Endpoint":"\(origin.url(""))"}}]}
                """
            )
            #expect(answer.status == 201, "\(answer.body)")
            let waited = try await network.scene.run("wait", "--all")
            #expect(waited.status == .code(ErrorCode.unauthorized.exitStatus), "\(waited.errors)")
            #expect(!origin.requests.isEmpty)
            #expect(origin.requests.allSatisfy { $0["Authorization"] == nil })
            let profile = try await network.ask(
                "POST",
                "/v1/downloads",
                """
                {"downloads":[{"url":"s3://photos/disk.iso","destination":"",\
                "settings":{"s3Profile":"default"}}]}
                """
            )
            #expect(profile.status != 201, "\(profile.body)")
        }

        @Test func `the user's download has them, and a folder becomes several downloads`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let origin = try ScriptedOrigin()
            try prepare(scene, origin)
            let folder = try scene.home.makeFolder("own")
            try await scene.succeed("add", "s3://photos/disk.iso", "-d", folder)
            try await scene.succeed("wait", "--all")
            #expect(try scene.home.read("own/disk.iso") == resource.bytes())
            origin.route(
                "/photos/",
                .status(
                    200,
                    body: "<ListBucketResult><Contents><Key>a/1</Key></Contents>"
                        + "<Contents><Key>a/b/2</Key></Contents></ListBucketResult>"
                )
            )
            origin.route("/photos/*", .resource(Resource(text: "x")))
            let added = try await scene.succeed("add", "s3://photos/a/", "-d", folder)
            #expect(added.output.split(separator: "\n").count == 2, "\(added.output)")
            try await scene.succeed("wait", "--all")
            #expect(try scene.home.readText("own/b/2") == "x")
        }
    }
}
