import PawlCore
import PawlTesting
import Testing

/// Faults of other tools that Pawl avoids: those seen in the field that the tests of the tables do
/// not show as such.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ToolFaultTests {
    private let resource = Resource(size: Scene.size)

    @Test(arguments: Scene.connectionCounts)
    func `other content of the same size never mixes into a resumed file`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        let new = Resource(size: Scene.size, seed: 2)
        scene.origin.replace(Scene.path, with: new)
        try await scene.download(settings)
        try scene.expectFile(new)
    }

    @Test(arguments: Scene.connectionCounts)
    func `bytes on disk count when a download resumes`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let kept = try await scene.interrupt(.resource(resource), settings)
        let latch = Latch()
        scene.serve(.resource(resource).holdAfterBytes(0, until: latch))
        let running = try scene.start(settings)
        await latch.waitForArrivals()
        #expect(running.progress.completedBytes == kept)
        #expect(running.progress.totalBytes == Scene.size)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(resource)
    }

    @Test func `an error page is not saved as the file`() async throws {
        let scene = try Scene(
            .status(404, fields: [("Content-Type", "text/html")], body: "<html>gone</html>")
        )
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .notFound)
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `a longer old file is truncated to the new one`() async throws {
        let scene = try Scene(.resource(resource))
        try scene.folder.write(Scene.name, Resource(size: 3 << 20, seed: 4).bytes())
        var settings = scene.settings(4)
        settings.ifExists = .overwrite
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test func `many pauses do not corrupt the file and fetch no byte twice`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        for round in 1...4 {
            let latch = Latch()
            let before = Int64(round - 1) * 200_000
            scene.serve(.resource(resource).holdAfterBytes(200_000, until: latch))
            let running = try scene.start(settings)
            await latch.waitForArrivals()
            await running.waitForBytes(before + 200_000)
            running.cancel()
            await #expect(throws: DownloadError.self) { try await running.file() }
        }
        scene.serve(.resource(resource))
        try await scene.download(settings)
        try scene.expectFile(resource)
        let starts = scene.asked.map { $0.range?.first ?? 0 }
        #expect(starts == [0, 200_000, 400_000, 600_000, 800_000])
    }

    @Test func `a pause at any moment can be resumed`() async throws {
        var generator = TestSeed.generator("a pause at any moment")
        let scene = try Scene(.resource(resource).rate(8_000_000))
        let settings = scene.settings(4)
        var rounds = 0
        while !scene.folder.exists(Scene.name), rounds < 40 {
            rounds += 1
            let running = try scene.start(settings)
            let bytes =
                scene.origin.snapshot.bodyBytesSent
                + Int64.random(in: 0...400_000, using: &generator)
            await scene.origin.waitUntil { snapshot in
                snapshot.bodyBytesSent >= bytes
                    || snapshot.activeExchanges == 0
                        && !snapshot.requests.isEmpty
            }
            running.cancel()
            do throws(DownloadError) {
                _ = try await running.file()
            } catch {
                #expect(error.code == .interrupted)
            }
        }
        if !scene.folder.exists(Scene.name) { try await scene.download(settings) }
        try scene.expectFile(resource)
        scene.expectManners()
    }

    @Test(arguments: Scene.connectionCounts)
    func `an origin that disappears and returns loses nothing`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let latch = Latch()
        scene.serve(.resource(resource).holdAfterBytes(Scene.heldBytes, until: latch))
        let running = try scene.start(settings)
        await latch.waitForArrivals(connections)
        await running.waitForBytes(Scene.heldBytes * Int64(connections))
        // No bytes arrive until all connections were found broken: a free one would take over the
        // work of those that are not yet.
        let again = Latch()
        scene.serve(.resource(resource).holdAfterBytes(1000, until: again))
        scene.forgetRequests()
        scene.origin.breakConnections()
        await again.waitForArrivals(connections)
        again.release()
        _ = try await running.file()
        try scene.expectFile(resource)
        let starts = scene.asked.map { $0.range?.first ?? 0 }
        #expect(starts.allSatisfy { $0 >= Scene.heldBytes }, "\(starts) \(running.log.text)")
    }
}
