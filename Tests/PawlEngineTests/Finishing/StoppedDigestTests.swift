import Glibc
import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting
import Testing

/// The digest of a large file takes longer than a user who stops the download would wait.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct StoppedDigestTests {
    private let resource = Resource(size: Scene.size)

    /// A scene with a file under the final name that takes minutes to read and uses no disk space.
    private func sceneWithLargeFile() throws -> Scene {
        // Without a length only the digest shows whether it is the same file.
        let scene = try Scene(.resource(resource).chunked())
        try scene.folder.write(Scene.name, "")
        try #require(truncate(scene.folder.path(Scene.name), 100 << 30) == 0)
        return scene
    }

    private func checked(_ settings: DownloadSettings) throws -> DownloadSettings {
        var settings = settings
        settings.checksum = .digest(try #require(resource.digest(.sha256)))
        return settings
    }

    @Test func `Ctrl-C ends the comparison with an existing file`() async throws {
        let scene = try sceneWithLargeFile()
        let running = try scene.start(try checked(scene.settings(1)))
        await running.log.wait(for: "200 OK")
        running.cancel()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .interrupted)
        #expect(scene.folder.list() == [Scene.name])
    }

    @Test func `the maximum duration ends the comparison`() async throws {
        let scene = try sceneWithLargeFile()
        var settings = try checked(scene.settings(1))
        settings.maximumDuration = .milliseconds(500)
        let running = try scene.start(settings)
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .timedOut)
        #expect(scene.folder.list() == [Scene.name])
    }

    /// All threads for digests are busy until the time is over.
    @Test func `the maximum duration ends the last check, and all bytes are kept`() async throws {
        let (clock, gate) = (ManualTimekeeper(), Gate())
        let scene = try Scene(.resource(resource))
        let process = EngineProcess(time: clock)
        let pool = process.engine.digests
        async let _: Void = pool.keepBusy(threads: 2, gate)
        defer { for _ in 0..<2 { gate.open() } }
        await pool.waitForThreads(2)
        var settings = try checked(scene.settings(1))
        settings.maximumDuration = .seconds(10)
        let running = try scene.start(settings, by: process)
        await running.wait { $0.phase == .verifying }
        clock.advance(by: .seconds(11))
        for _ in 0..<2 { gate.open() }
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .timedOut)
        #expect(!scene.folder.exists(Scene.name))
        scene.forgetRequests()
        // A download that read its body would wait forever.
        scene.serve(.resource(resource).stallAfterBytes(1000))
        settings.maximumDuration = nil
        try await scene.download(settings)
        try scene.expectFile(resource)
    }
}
