import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The folder of the queue is removed while the daemon runs.
    @Suite(.timeLimit(.minutes(5)), .serialized, .needsQueueFile)
    struct DaemonRemovedQueueTests {
        private func health(_ scene: DaemonScene) async throws -> String {
            let socket = scene.home.path("run/pawl/daemon.sock")
            let options = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", socket]
            let run = try await ProcessRunner.run("curl", options + ["http://d/healthz"])
            return run.output
        }

        private func status(_ scene: DaemonScene) async throws -> DaemonStatus {
            let run = try await scene.succeed("daemon", "status", "--json")
            return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8)
        }

        @Test func `nothing is acknowledged into a queue that was removed`() async throws {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 24 << 20)
            let daemon = try await scene.startDaemon()
            try await scene.addHeld(resource)
            let folder = scene.home.path("state/pawl")
            try FileManager.default.removeItem(atPath: folder)
            let paused = ["add", "--paused", "http://example.org/a"]
            for arguments in [paused, ["pause", "1"], ["list"], ["limit", "1M"]] {
                let run = try await scene.workshop.run(arguments, scene.settings)
                expectFailure(.diskFailure, run)
                #expect(run.errors.contains("the queue was removed"), "\(run.errors)")
                #expect(run.errors.contains("pawl daemon restart"), "\(run.errors)")
            }
            #expect(try await health(scene) == "503")
            let problem = try #require(try await status(scene).storeProblem)
            #expect(problem.contains("was removed"))
            let shown = try await scene.succeed("daemon", "status")
            #expect(shown.output.contains("pawl daemon restart"))
            try await scene.succeed("daemon", "restart")
            #expect(await daemon.waitForExit() == .code(0))
            #expect(try await status(scene).storeProblem == nil)
            #expect(try await health(scene) == "200")
            // What was received is still there, and is continued.
            let files = scene.workshop.folder.list()
            #expect(files == [Workshop.name + ".part", Workshop.name + ".part.pawl"])
            scene.workshop.serve(.resource(resource))
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            #expect(scene.workshop.origin.requests.last?.range != nil)
            try await scene.succeed("daemon", "stop")
        }

        @Test func `a queue that is put back is used again, and another one is not`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--paused", "http://example.org/a")
            let (queue, moved) = (
                scene.home.path("state/pawl/queue.sqlite"), scene.home.path("moved")
            )
            try #require(rename(queue, moved) == 0)
            try scene.home.write("state/pawl/queue.sqlite", "")
            let refused = try await scene.run("add", "--paused", "http://example.org/b")
            expectFailure(.diskFailure, refused)
            #expect(refused.errors.contains("the queue was replaced"), "\(refused.errors)")
            try #require(rename(moved, queue) == 0)
            try await scene.succeed("add", "--paused", "http://example.org/b")
            #expect(try await scene.downloads().map(\.name) == ["a", "b"])
            daemon.signal(SIGTERM)
            await daemon.waitForExit()
            let next = try await scene.startDaemon()
            #expect(try await scene.downloads().map(\.name) == ["a", "b"])
            withExtendedLifetime(next) {}
        }
    }
}
