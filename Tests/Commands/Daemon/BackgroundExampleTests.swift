import PawlCore
import PawlTesting
import Testing

extension DaemonSuites {
    /// The programs with which the articles on background sessions and on shipping begin.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct BackgroundExampleTests {
        @Test func `a download continues after the program, and the next call gets it`()
            async throws
        {
            let resource = Resource(size: 24 << 20)
            let latch = Latch()
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.resource(resource).holdAfterBytes(10 << 20, until: latch))
            let folder = scene.workshop.folder.path
            let first = try start(scene, "BackgroundDownload", scene.workshop.url, folder)
            #expect(await first.waitForExit() == .code(0), "\(first.output)\(first.errors)")
            #expect(first.output == "disk.iso continues in the background\n")

            latch.release()
            let second = try start(scene, "BackgroundDownload")
            #expect(await second.waitForExit() == .code(0), "\(second.output)\(second.errors)")
            let path = scene.workshop.folder.path(Workshop.name)
            #expect(second.output.contains("finished: \(path), \(resource.size) bytes\n"))
            // The program ends as soon as its session is invalid.
            let third = try start(scene, "BackgroundDownload")
            #expect(await third.waitForExit() == .code(0), "\(third.output)\(third.errors)")
            #expect(third.output.isEmpty)
            try expectExact(Workshop.name, resource, in: scene.workshop)
        }

        @Test func `Films downloads in the daemon, and without one by itself`() async throws {
            let resource = Resource(size: 3 << 20)
            let scene = try DaemonScene(Workshop(resource))
            let folder = scene.workshop.folder
            let run = try start(scene, "Films", scene.workshop.url, folder.path("daemon"))
            #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
            #expect(run.output == "finished: \(folder.path("daemon/disk.iso"))\n")
            try expectExact("daemon/disk.iso", resource, in: scene.workshop)

            // The daemon's program is searched for in the folder of the program, and in PATH.
            let copy = folder.path("Films")
            _ = try await ProcessRunner.run("cp", [BuiltProduct.path("Films"), copy])
            let alone = try Workshop(resource)
            let settings = ProcessSettings(environment: [
                "HOME": alone.folder.path, "PATH": folder.path, "XDG_STATE_HOME": nil,
                "XDG_CACHE_HOME": nil, "XDG_RUNTIME_DIR": nil,
            ])
            let other = try ProcessRunner(
                copy,
                [alone.url, alone.folder.path],
                alone.complete(settings)
            )
            #expect(await other.waitForExit() == .code(0), "\(other.output)\(other.errors)")
            #expect(other.output.hasPrefix("pawld is not available: "), "\(other.output)")
            try expectExact("disk.iso", resource, in: alone)
        }

        @Test func `the articles' code for background sessions runs`() async throws {
            let resource = Resource(size: 3 << 20)
            let scene = try DaemonScene(Workshop(resource))
            let folder = scene.workshop.folder
            let base = String(scene.workshop.url.dropLast(Workshop.path.count)) + "/"
            let run = try start(scene, "Articles", base, folder.path, "background")
            #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
            #expect(run.output.contains("\ntrailer: \(resource.size) bytes\n"), "\(run.output)")
            #expect(run.output.hasSuffix("\nBackgroundSessions is done\n"), "\(run.output)")
            try expectExact("BackgroundSessions/disk.iso", resource, in: scene.workshop)
        }

        private func start(
            _ scene: DaemonScene,
            _ program: String,
            _ arguments: String...
        ) throws -> ProcessRunner {
            var settings = scene.settings
            settings.environment["XDG_CACHE_HOME"] = scene.home.path("cache")
            return try ProcessRunner(
                BuiltProduct.path(program),
                arguments,
                scene.workshop.complete(settings)
            )
        }
    }
}
