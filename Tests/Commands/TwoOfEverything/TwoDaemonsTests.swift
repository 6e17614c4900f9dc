import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Several starts of the daemon, and several processes with one session.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct TwoDaemonsTests {
        @Test func `three programs that start the daemon at the same time get the same one`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            for round in 0..<5 {
                let runs = try (0..<3).map {
                    try scene.start("add", "--paused", scene.workshop.origin.url("/\(round)-\($0)"))
                }
                for run in runs {
                    #expect(await run.waitForExit() == .code(0), "round \(round): \(run.errors)")
                }
                #expect(try await scene.downloads().count == 3 * (round + 1))
                try await scene.succeed("daemon", "stop")
            }
        }

        @Test func `a stop and a start at the same time lose nothing`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("add", "--paused", scene.workshop.origin.url("/first"))
            for round in 0..<3 {
                let stop = try scene.start("daemon", "stop")
                let add = try scene.start(
                    "add",
                    "--paused",
                    scene.workshop.origin.url("/\(round)")
                )
                _ = await stop.waitForExit()
                #expect(await add.waitForExit() == .code(0), "round \(round): \(add.errors)")
                // The stop may have happened after the download was added.
                try await scene.succeed("daemon", "start")
                #expect(try await scene.downloads().count == round + 2)
            }
        }

        @Test func `two sessions with one identifier receive each event once between them`()
            async throws
        {
            let resource = Resource(size: 3 << 20)
            let scene = try DaemonScene(Workshop(resource))
            let first = try await scene.session("films")
            first.type(
                "add",
                "one",
                scene.workshop.url,
                scene.workshop.folder.path(Workshop.name)
            )
            await first.hears("completed one ok")
            let second = try await scene.session("films", "--take-over")
            await first.hears("invalid already-running")
            second.type(
                "add",
                "two",
                scene.workshop.url,
                scene.workshop.folder.path("second.iso")
            )
            await second.hears("completed two ok")
            #expect(second.lines("completed one").isEmpty)
            #expect(first.lines("completed two").isEmpty)
            try expectExact(Workshop.name, resource, in: scene.workshop)
            try expectExact("second.iso", resource, in: scene.workshop)
        }
    }
}
