import PawlCore
import PawlTesting
import Testing

extension DaemonSuites {
    /// The program with which the article on background sessions begins.
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
            let first = try start(scene, scene.workshop.url, folder)
            #expect(await first.waitForExit() == .code(0), "\(first.output)\(first.errors)")
            #expect(first.output == "disk.iso continues in the background\n")

            latch.release()
            let second = try start(scene)
            #expect(await second.waitForExit() == .code(0), "\(second.output)\(second.errors)")
            let path = scene.workshop.folder.path(Workshop.name)
            #expect(second.output.contains("finished: \(path), \(resource.size) bytes\n"))
            // The program ends as soon as its session is invalid.
            let third = try start(scene)
            #expect(await third.waitForExit() == .code(0), "\(third.output)\(third.errors)")
            #expect(third.output.isEmpty)
            try expectExact(Workshop.name, resource, in: scene.workshop)
        }

        private func start(_ scene: DaemonScene, _ arguments: String...) throws -> ProcessRunner {
            var settings = scene.settings
            settings.environment["XDG_CACHE_HOME"] = scene.home.path("cache")
            return try ProcessRunner(
                BuiltProduct.path("BackgroundDownload"),
                arguments,
                scene.workshop.complete(settings)
            )
        }
    }
}
