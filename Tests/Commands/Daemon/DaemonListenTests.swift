import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The daemon's address for TCP, which is a setting.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonListenTests {
        private func status(_ scene: DaemonScene) async throws -> DaemonStatus {
            let run = try await scene.succeed("daemon", "status", "--json")
            return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8)
        }

        /// The status of a response; 0 if there is none.
        private func ask(_ scene: DaemonScene, _ url: String) async throws -> Int {
            let token = try await scene.succeed("daemon", "token").output.prefix { $0 != "\n" }
            let run = try await ProcessRunner.run(
                "curl",
                [
                    "-sg", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "*",
                    "-H", "Authorization: Bearer \(token)", "\(url)/v1/status",
                ]
            )
            return Int(run.output) ?? -1
        }

        @Test func `an occupied port is reported immediately, and no daemon remains`() async throws
        {
            let other = try await NetworkScene.make()
            let scene = try DaemonScene(Workshop())
            let run = try await scene.run("daemon", "start", "--listen", "\(other.port)")
            #expect(run.status == .code(ErrorCode.alreadyRunning.exitStatus))
            #expect(run.errors.contains("cannot listen at 127.0.0.1:\(other.port)"))
            expectFailure(.daemonUnavailable, try await scene.run("daemon", "status"))
            // It was not remembered either.
            try await scene.succeed("add", "--paused", "http://example.org/a")
            let status = try await status(scene)
            #expect(status.url == nil && status.listenProblem == nil)
            try await scene.succeed("daemon", "stop")
        }

        @Test func `the address is remembered, even by a daemon that starts by itself`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("daemon", "start", "--listen", "127.0.0.1:0")
            #expect(try await status(scene).url != nil)
            try await scene.succeed("daemon", "stop")
            try await scene.succeed("add", "--paused", "http://example.org/a")
            let url = try #require(try await status(scene).url)
            #expect(try await ask(scene, url) == 200)
            try await scene.succeed("daemon", "stop")
            try await scene.succeed("daemon", "start", "--listen", "off")
            #expect(try await status(scene).url == nil)
            try await scene.succeed("daemon", "stop")
            try await scene.succeed("daemon", "start")
            #expect(try await status(scene).url == nil)
            try await scene.succeed("daemon", "stop")
        }

        @Test func `a running daemon starts to listen, changes its address and stops listening`()
            async throws
        {
            let other = try await NetworkScene.make()
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("daemon", "start", "--listen", "127.0.0.1:0")
            let first = try #require(try await status(scene).url)
            #expect(try await ask(scene, first) == 200)
            // A port that is taken changes nothing.
            let taken = try await scene.run("daemon", "start", "--listen", "\(other.port)")
            #expect(taken.status == .code(ErrorCode.alreadyRunning.exitStatus))
            #expect(try await status(scene).url == first)
            #expect(try await ask(scene, first) == 200)
            try await scene.succeed("daemon", "start", "--listen", "127.0.0.1:0")
            let second = try #require(try await status(scene).url)
            #expect(second != first)
            #expect(try await ask(scene, second) == 200)
            try await scene.succeed("daemon", "start", "--listen", "off")
            #expect(try await status(scene).url == nil)
            // The port is closed a moment after the setting was changed.
            while try await ask(scene, second) != 0 { try Task.checkCancellation() }
            #expect(try await ask(scene, first) == 0)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a daemon that stopped listening does not listen after a restart`() async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("daemon", "start", "--listen", "127.0.0.1:0", "--jobs", "3")
            #expect(try await status(scene).url != nil)
            let restart = try await scene.succeed("daemon", "restart")
            #expect(restart.errors.contains("(was process"))
            #expect(try await status(scene).url != nil)
            try await scene.succeed("daemon", "start", "--listen", "off")
            try await scene.succeed("daemon", "restart")
            let after = try await status(scene)
            #expect(after.url == nil)
            #expect(after.maximumConcurrentDownloads == 3)
            try await scene.succeed("daemon", "stop")
        }

        @Test func `a remembered port that is occupied does not prevent downloads`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 1000)))
            try await scene.succeed("daemon", "start", "--listen", "127.0.0.1:0")
            let url = try #require(try await status(scene).url)
            let port = try #require(url.split(separator: ":").last)
            try await scene.succeed("daemon", "start", "--listen", "\(port)")
            try await scene.succeed("daemon", "stop")
            let other = try await NetworkScene.make(at: "127.0.0.1:\(port)")
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("wait", "--all")
            let status = try await status(scene)
            #expect(status.url == nil)
            #expect(status.listenProblem?.contains("127.0.0.1:\(port)") == true)
            let shown = try await scene.succeed("daemon", "status").output
            #expect(shown.contains("cannot listen"))
            try await scene.succeed("daemon", "stop")
            withExtendedLifetime(other) {}
        }
    }
}
