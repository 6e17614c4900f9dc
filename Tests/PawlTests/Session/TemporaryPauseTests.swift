import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// A task with a temporary file that takes more than one run.
@Suite(.timeLimit(.minutes(5)))
struct TemporaryPauseTests {
    private let resource = Resource(size: 1 << 20)
    private static let held = SessionScene.held

    /// Pauses the task once it has received `bytes` bytes, and waits until its connection is
    /// closed.
    private func pause(_ task: DownloadTask, at bytes: Int64, in scene: SessionScene) async {
        await waitForBytes(bytes, of: task)
        await task.pause()
        await scene.origin.waitForQuiet()
    }

    private func finish(_ task: DownloadTask, in scene: SessionScene) async throws {
        scene.origin.route("/disk.bin", .resource(resource))
        task.resume()
        #expect(try resource.verify(fileAt: try await task.file.path) == nil)
        #expect(scene.temporary.list("unfinished").isEmpty)
    }

    @Test(arguments: [true, false])
    func `a temporary task resumes after a pause and after a long suspension`(isSuspended: Bool)
        async throws
    {
        let scene = try SessionScene(holding: resource)
        var configuration = scene.configuration
        configuration.suspensionLimit = .zero
        let task = try await scene.start(
            in: DownloadSession(configuration),
            to: .temporary,
            reaching: Self.held
        )
        if isSuspended { task.suspend() } else { await task.pause() }
        while task.state != .paused, !Task.isCancelled { await Task.yield() }
        await scene.origin.waitForQuiet()
        try await finish(task, in: scene)
        #expect(scene.origin.requests.map { $0.range?.first } == [nil, Self.held])
    }

    @Test func `a temporary task resumes after its waiter was cancelled`() async throws {
        let scene = try SessionScene(holding: resource)
        let task = DownloadSession(scene.configuration).downloadTask(with: try scene.url())
        task.resume()
        let waiting = Task { try await task.file }
        await waitForBytes(Self.held, of: task)
        waiting.cancel()
        await #expect(throws: DownloadError.self) { try await waiting.value }
        await scene.origin.waitForQuiet()
        try await finish(task, in: scene)
        #expect(scene.origin.requests.last?.range?.first == Self.held)
    }

    @Test func `a temporary task cancelled after a pause leaves nothing`() async throws {
        let scene = try SessionScene(holding: resource)
        let task = DownloadSession(scene.configuration).downloadTask(with: try scene.url())
        for run in 1...2 {
            task.resume()
            await pause(task, at: Int64(run) * Self.held, in: scene)
        }
        task.cancel()
        for await _ in task.progress {}
        #expect(scene.temporary.list("unfinished").isEmpty)
    }

    @Test func `a task resumed from bytes elsewhere resumes again after a pause`() async throws {
        let scene = try SessionScene(holding: resource)
        let session = DownloadSession(scene.configuration)
        let first = try await scene.start(in: session, to: .temporary, reaching: Self.held)
        let data = try #require(await first.cancelByProducingResumeData())
        await scene.origin.waitForQuiet()
        var configuration = scene.configuration
        configuration.temporaryDirectory = scene.folder.path("own")
        var resume = ResumeSettings()
        resume.fallback = .fail
        let other = DownloadSession(configuration)
        let task = try other.downloadTask(withResumeData: data, resume)
        scene.origin.route(
            "/disk.bin",
            .resource(resource).holdAfterBytes(100_000, until: Latch())
        )
        task.resume()
        await waitForBytes(Self.held + 100_000, of: task)
        await task.pause()
        await scene.origin.waitForQuiet()
        try await finish(task, in: scene)
        #expect(scene.origin.requests.last?.range?.first == Self.held + 100_000)
    }

    @Test(.enabled(if: TwoDisks.isAvailable))
    func `resume data move the bytes to a file on another file system`() async throws {
        let scene = try SessionScene(holding: resource)
        let session = DownloadSession(scene.configuration)
        let first = try await scene.start(in: session, to: .temporary, reaching: Self.held)
        let data = try #require(await first.cancelByProducingResumeData())
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(resource))
        let disks = try TwoDisks()
        var resume = ResumeSettings()
        resume.destination = .file(disks.far.path("disk.bin"))
        resume.fallback = .fail
        let task = try session.downloadTask(withResumeData: data, resume)
        task.resume()
        #expect(try await task.file.path == disks.far.path("disk.bin"))
        #expect(try resource.verify(fileAt: disks.far.path("disk.bin")) == nil)
        #expect(disks.far.list() == ["disk.bin"])
        #expect(scene.temporary.list("unfinished").isEmpty)
        #expect(scene.origin.requests.last?.range?.first == Self.held)
    }

    @Test func `a cancelled download(from -) reports its resume data`() async throws {
        let scene = try SessionScene(holding: resource)
        let session = DownloadSession(scene.configuration)
        let url = try scene.url()
        let waiting = Task { try await session.download(url) }
        var task: SessionTask?
        while task == nil, !Task.isCancelled {
            task = session.currentTasks.first
            await Task.yield()
        }
        await waitForBytes(Self.held, of: try #require(task))
        waiting.cancel()
        let error = await #expect(throws: DownloadError.self) { try await waiting.value }
        #expect(error?.code == .interrupted)
        let data = try #require(error?.resumeData)
        #expect(data.receivedBytes == Self.held)
        await scene.origin.waitForQuiet()
        try await finish(try session.downloadTask(withResumeData: data), in: scene)
        #expect(scene.origin.requests.last?.range?.first == Self.held)
    }

    @Test func `a cancelled task of an ephemeral session leaves no trace of its file`() async throws
    {
        let scene = try SessionScene(holding: resource)
        let session = DownloadSession(scene.configured(.ephemeral))
        let task = try await scene.start(in: session, reaching: Self.held)
        let area = try #require(scene.temporary.list().first { !$0.hasSuffix(".lock") })
        #expect(scene.temporary.list(area) == ["1.unfinished"])
        task.cancel()
        for await _ in task.progress {}
        #expect(scene.temporary.list(area).isEmpty)
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `a session without temporary files also cleans up after a crash`() async throws {
        let scene = try SessionScene(holding: resource)
        try await scene.crashEphemeralSession(after: Self.held)
        scene.origin.route("/other", .resource(resource))
        let session = DownloadSession(scene.configuration)
        _ = try await session.download(try scene.url("/other"), to: scene.target("other"))
        try await scene.folder.wait { $0.list() == ["other"] }
        #expect(scene.folder.list() == ["other"])
        try await scene.temporary.wait { $0.list().isEmpty }
        #expect(scene.temporary.list().isEmpty)
    }
}
