import Glibc
import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting
import Testing

/// Downloads that wait for a slow disk do not delay the checkpoints of others.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct SlowDiskTests {
    private static let large = Resource(size: 20 << 20, seed: 9)

    /// Checks that a download can proceed that is larger than what may be fetched without a
    /// checkpoint.
    private func expectFlow(_ scene: Scene, _ process: EngineProcess) async throws {
        scene.origin.route("/large", .resource(Self.large))
        let running = try scene.start(scene.settings(1), from: "/large", to: "large", by: process)
        await running.waitForBytes(Self.large.size)
        #expect(running.progress.completedBytes == Self.large.size)
        running.cancel()
    }

    @Test func `files that wait for their last sync do not delay others`() async throws {
        let gate = Gate()
        var store = StoreSettings()
        store.syncAll = {
            gate.wait()
            return fsync($0)
        }
        let process = EngineProcess(store: store)
        let resource = Resource(size: Scene.size)
        let scene = try Scene(.resource(resource))
        let runs = try (0..<4).map { number in
            try scene.start(scene.settings(1), to: "\(number).bin", by: process)
        }
        defer { for _ in 0..<100 { gate.open() } }
        for running in runs { await running.wait { $0.phase == .verifying } }
        try await expectFlow(scene, process)
        for _ in 0..<100 { gate.open() }
        for running in runs { _ = try await running.file() }
    }

    @Test func `files that are compared with a digest do not delay others`() async throws {
        let process = EngineProcess()
        let resource = Resource(size: Scene.size)
        // Without a length only the digest shows whether it is the same file.
        let scene = try Scene(.resource(resource).chunked())
        var settings = scene.settings(1)
        settings.checksum = .digest(try #require(resource.digest(.sha256)))
        let runs = try (0..<4).map { number in
            try scene.folder.write("\(number).bin", "")
            try #require(truncate(scene.folder.path("\(number).bin"), 100 << 30) == 0)
            return try scene.start(settings, to: "\(number).bin", by: process)
        }
        _ = await scene.origin.waitForRequests(runs.count)
        try await expectFlow(scene, process)
        // All at once: two of them wait until the others have released the threads for digests.
        for running in runs { running.cancel() }
        for running in runs {
            await #expect(throws: DownloadError.self) { try await running.file() }
        }
    }
}
