import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Why a daemon over TCP cannot be used.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct RemoteConnectionTests {
        private func list(
            _ scene: RemoteScene,
            at url: String,
            _ options: String...
        ) async throws -> FinishedProcess {
            let choice = ["--daemon", url, "--daemon-token-file", scene.tokenFile]
            return try await scene.run(plain: choice + options + ["list"])
        }

        @Test func `an address without a daemon is reported`() async throws {
            let scene = try await RemoteScene.make()
            let unused = try await list(scene, at: "http://127.0.0.1:\(try UnusedPort.find())")
            expectFailure(.daemonUnavailable, unused)
            #expect(unused.errors.contains("cannot be reached"), "\(unused.errors)")
            let unknown = try await list(scene, at: "https://host.invalid")
            expectFailure(.nameNotResolved, unknown)
            let other = try await list(scene, at: scene.user.workshop.origin.url("/base"))
            expectFailure(.badResponse, other)
            #expect(other.errors.contains("is not a daemon of Pawl"), "\(other.errors)")
            for url in ["nas", "ftp://nas/", "https://nas/v1", "https://me:x@nas/"] {
                expectFailure(.usage, try await list(scene, at: url))
            }
            scene.expectNoOwnDaemon()
        }

        @Test(arguments: [301, 307, 308])
        func `a request is sent to no server to which the daemon's URL redirects`(
            status: Int
        ) async throws {
            let scene = try await RemoteScene.make()
            let origin = scene.user.workshop.origin
            let target = origin.url("/elsewhere")
            origin.route("/base/v1/downloads", .redirect(to: target, status: status))
            let base = origin.url("/base")
            for arguments in [["list"], ["add", "http://me:example@h.invalid/a"]] {
                let choice = ["--daemon", base, "--daemon-token-file", scene.tokenFile]
                let run = try await scene.run(plain: choice + arguments)
                expectFailure(.redirectRefused, run)
                #expect(run.errors.contains("redirects, so it is not a daemon"), "\(run.errors)")
                #expect(run.errors.contains("check the URL"), "\(run.errors)")
            }
            let asked = origin.snapshot.requests.map(\.path)
            #expect(!asked.isEmpty && !asked.contains("/elsewhere"), "\(asked)")
        }

        @Test func `a token that the daemon does not accept is reported`() async throws {
            let scene = try await RemoteScene.make()
            try await scene.succeed("list")
            try await scene.daemon.succeed("daemon", "token", "--new")
            let run = try await scene.run("list")
            expectFailure(.unauthorized, run)
            #expect(run.errors.contains("does not accept the token"), "\(run.errors)")
            #expect(!run.errors.contains(scene.secure.network.token))
        }

        @Test func `a certificate must be trusted, and be for the host of the URL`() async throws {
            let scene = try await RemoteScene.make(at: "0.0.0.0:0")
            let distrusted = try await list(scene, at: scene.secure.origin)
            expectFailure(.tlsFailed, distrusted)
            #expect(distrusted.errors.contains("--daemon-cacert"), "\(distrusted.errors)")
            let authority = scene.secure.files.authority
            let port = scene.secure.network.port
            let foreign = try await list(
                scene,
                at: "https://127.0.0.2:\(port)",
                "--daemon-cacert",
                authority
            )
            expectFailure(.tlsFailed, foreign)
            let missing = try await list(
                scene,
                at: scene.secure.origin,
                "--daemon-cacert",
                "/nowhere.pem"
            )
            expectFailure(.fileUnreadable, missing)
            #expect(missing.errors.contains("--daemon-cacert"))
        }

        @Test func `plain HTTP is used at this machine only, unless it is allowed`() async throws {
            let scene = try await RemoteScene.make()
            // The daemon speaks TLS there.
            let secure = try await list(scene, at: "http://127.0.0.1:\(scene.secure.network.port)")
            expectFailure(.badResponse, secure)
            #expect(secure.errors.contains("https://"), "\(secure.errors)")
            let plain = try await NetworkScene.make()
            let token = try scene.user.home.write("token", plain.token)
            try scene.user.home.setPermissions("token", 0o600)
            #expect(token == scene.tokenFile)
            let near = try await list(scene, at: plain.origin)
            #expect(near.status == .code(0), "\(near.errors)")
            let wrong = try await list(scene, at: "https://127.0.0.1:\(plain.port)")
            expectFailure(.tlsFailed, wrong)
            #expect(wrong.errors.contains("--tls-cert"), "\(wrong.errors)")
            // No name is resolved, and nothing is sent.
            for url in ["http://nas.invalid:6880", "http://192.0.2.1:6880", "http://localhost:1"] {
                let far = try await list(scene, at: url)
                expectFailure(.usage, far)
                #expect(far.errors.contains("--daemon-unencrypted"), "\(far.errors)")
            }
            let allowed = try await list(
                scene,
                at: "http://nas.invalid:6880",
                "--daemon-unencrypted"
            )
            expectFailure(.nameNotResolved, allowed)
        }

        @Test func `a daemon under a path behind a proxy is used`() async throws {
            let scene = try await RemoteScene.make()
            let path = "/downloads"
            // A proxy that cannot reach the daemon.
            scene.user.workshop.origin.route("\(path)/v1/downloads", .status(502))
            let run = try await list(scene, at: scene.user.workshop.origin.url(path))
            expectFailure(.daemonUnavailable, run)
            #expect(run.errors.contains("the proxy"), "\(run.errors)")
            try await scene.daemon.succeed(
                "daemon",
                "start",
                "--base-url",
                "\(scene.secure.origin)\(path)/"
            )
            // The daemon accepts the path that a proxy keeps.
            let kept = try await list(
                scene,
                at: scene.secure.origin + path,
                "--daemon-cacert",
                scene.secure.files.authority
            )
            #expect(kept.status == .code(0), "\(kept.errors)")
        }
    }
}
