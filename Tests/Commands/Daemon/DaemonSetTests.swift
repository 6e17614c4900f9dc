import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonSetTests {
        private let big = Resource(size: 24 << 20)

        @Test func `a running download is renamed and keeps its bytes`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.addHeld(big)
            let before = scene.workshop.origin.snapshot.requests.count
            scene.workshop.serve(.resource(big))
            try await scene.succeed("set", "--name", "copy.iso", "1")
            #expect(try await scene.succeed("wait", "-q", "copy.iso").everything.isEmpty)
            try expectExact("copy.iso", big, in: scene.workshop)
            #expect(scene.workshop.folder.list() == ["copy.iso"])
            let requests = scene.workshop.origin.requests.dropFirst(before)
            #expect(requests.allSatisfy { $0.range != nil }, "it started over")
            #expect(
                try await scene.downloads().first?.path == scene.workshop.folder.path("copy.iso")
            )
            expectSound(try await scene.events())
            withExtendedLifetime(daemon) {}
        }

        @Test func `paused downloads and downloads that have not started are renamed, too`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.addHeld(big)
            try await scene.succeed("pause", "1")
            try await scene.succeed("set", "--name", "copy.iso", "1")
            let other = Resource(size: 1000)
            scene.workshop.serve(.resource(other), at: "/other")
            try await scene.succeed("add", "--paused", scene.workshop.origin.url("/other"))
            try await scene.succeed("set", "--name", "another", "other")
            #expect(try await scene.downloads().map(\.name) == ["copy.iso", "another"])
            daemon.signal(SIGKILL)
            await daemon.waitForExit()
            let second = try await scene.startDaemon()
            scene.workshop.serve(.resource(big))
            try await scene.succeed("resume", "--all")
            try await scene.succeed("wait", "--all")
            try expectExact("copy.iso", big, in: scene.workshop)
            try expectExact("another", other, in: scene.workshop)
            #expect(scene.workshop.folder.list() == ["another", "copy.iso"])
            withExtendedLifetime(second) {}
        }

        /// The run that is to take the name may have ended already, or be about to, when it is
        /// paused.
        @Test(arguments: [true, false])
        func `a download that is paused and resumed during a rename keeps its bytes`(
            pausesAtOnce: Bool
        ) async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.addHeld(big)
            let before = scene.workshop.origin.snapshot.requests.count
            if pausesAtOnce {
                let naming = try scene.start("set", "--name", "copy.iso", "1")
                try await scene.succeed("pause", "1")
                #expect(await naming.waitForExit() == .code(0), "\(naming.errors)")
            } else {
                try await scene.succeed("set", "--name", "copy.iso", "1")
                try await scene.succeed("pause", "1")
            }
            let row = try #require(try await scene.downloads().first)
            #expect(row.name == "copy.iso")
            #expect(row.state == .paused)
            scene.workshop.serve(.resource(big))
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            try expectExact("copy.iso", big, in: scene.workshop)
            #expect(scene.workshop.folder.list() == ["copy.iso"])
            let requests = scene.workshop.origin.requests.dropFirst(before)
            #expect(requests.allSatisfy { $0.range != nil }, "it started over")
            expectSound(try await scene.events())
            withExtendedLifetime(daemon) {}
        }

        @Test func `the name of an existing file is refused`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.addHeld(big)
            try scene.workshop.folder.write("there.iso", [1, 2, 3])
            expectFailure(.conflict, try await scene.run("set", "--name", "there.iso", "1"))
            #expect(try await scene.downloads().map(\.name) == ["disk.iso"])
            // Its own name is not a change.
            try await scene.succeed("set", "--name", "disk.iso", "1")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a running download waits for its new start date`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.addHeld(big)
            try await scene.succeed("set", "--not-before", "+1d", "1")
            var waiting = try #require(try await scene.downloads().first)
            // There is no event for it.
            while waiting.state == .running, !Task.isCancelled {
                waiting = try #require(try await scene.downloads().first)
            }
            #expect(waiting.state == .waiting)
            #expect(waiting.notBefore.map { $0.timeIntervalSinceNow > 80_000 } == true)
            scene.workshop.serve(.resource(big))
            try await scene.succeed("set", "--not-before", "now", "1")
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, big, in: scene.workshop)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a download with a start time waits`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 1000)))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--not-before", "+2h", scene.workshop.url)
            let row = try #require(try await scene.downloads().first)
            #expect(row.state == .waiting)
            let wait = try #require(row.notBefore).timeIntervalSinceNow
            #expect(wait > 6000 && wait <= 7200)
            #expect(scene.workshop.origin.snapshot.requests.isEmpty)
            try await scene.succeed("set", "--not-before", "now", "1")
            try await scene.succeed("wait", "1")
            withExtendedLifetime(daemon) {}
        }
    }
}
