import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Downloads that failed and wait for another try.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonRetryTests {
        @Test func `a wait that ended with the network does not return with a change`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon("--jobs", "1")
            let (second, third) = (Latch(), Latch())
            let resource = Resource(size: 2 << 20)
            scene.workshop.serve(.resource(resource).holdAfterBytes(1 << 20, until: second))
            scene.workshop.serve(
                .resource(resource).holdAfterBytes(1 << 20, until: third),
                at: "/third"
            )
            let events = try scene.start("events", "--after", "0", "--json")
            // No server listens there, as if the network were not reachable.
            try await scene.succeed("add", "--retries", "1", "-o", "a", "http://127.0.0.1:1/a")
            #expect(await events.waitForOutput(containing: #""retrying""#))
            #expect(try await scene.downloads().first?.notBefore != nil)
            try await scene.succeed("add", "-x", "1", "-o", "b", scene.workshop.url)
            try await scene.succeed(
                "add",
                "-x",
                "1",
                "-o",
                "c",
                "--priority",
                "high",
                scene.workshop.origin.url("/third")
            )
            second.release()
            try await scene.succeed("wait", "2")
            // Bytes were received, so the first one is next after the more urgent one.
            #expect(try await scene.downloads().first?.notBefore == nil)
            try await scene.succeed("move", "--last", "1")
            let row = try #require(try await scene.downloads().first)
            #expect(row.notBefore == nil && row.state == .waiting)
            expectSound(try await scene.events())
            third.release()
            for process in [daemon, events] {
                process.signal(15)
                await process.waitForExit()
            }
        }

        @Test func `without retries a failing download fails immediately`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(503))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--retries", "0", scene.workshop.url)
            let wait = try await scene.run("wait", "1")
            #expect(wait.status == .code(ErrorCode.serverBusy.exitStatus), "\(wait.errors)")
            let kinds = try await scene.events().map(\.kind)
            #expect(kinds == [.added, .started, .failed])
            // It resumes when all downloads are resumed.
            scene.workshop.serve(.resource(Resource(size: 5000)))
            let resumed = try await scene.succeed("resume", "--all")
            #expect(resumed.output.contains("disk.iso"))
            try await scene.succeed("wait", "1")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a download that waits for its next retry is started by resume`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(503))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--retries", "1", scene.workshop.url)
            try await scene.waitForEvents(.retrying)
            scene.workshop.serve(.resource(Resource(size: 5000)))
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            #expect(try await scene.events().contains { $0.kind == .resumed })
            withExtendedLifetime(daemon) {}
        }
    }
}
