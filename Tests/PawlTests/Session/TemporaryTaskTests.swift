import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract's rows on temporary files and on resuming them later.
@Suite(.timeLimit(.minutes(5)))
struct TemporaryTaskTests {
    private let resource = Resource(size: 1 << 20)
    private static let held = SessionScene.held

    /// Returns the resume data of a temporary task whose session is gone.
    private func resumeData(_ scene: SessionScene) async throws -> ResumeData {
        let data = try await scene.resumeData(to: .temporary)
        try await scene.temporary.wait { $0.list() == ["unfinished"] }
        return data
    }

    private func resume(_ data: ResumeData, _ scene: SessionScene) async throws {
        scene.origin.route("/disk.bin", .resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = try session.downloadTask(withResumeData: data)
        #expect(task.currentProgress.completedBytes == Self.held)
        #expect(task.currentProgress.totalBytes == resource.size)
        task.resume()
        let file = try await task.file
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.temporary.list("unfinished").isEmpty)
        #expect(task.currentProgress.name == "disk.bin")
    }

    @Test func `resume data of a temporary task outlives its session`() async throws {
        let scene = try SessionScene(holding: resource)
        let data = try await resumeData(scene)
        #expect(data.receivedBytes == Self.held)
        #expect(data.finalPath == nil)
        #expect(scene.temporary.list() == ["unfinished"])
        try await resume(data, scene)
        #expect(scene.origin.requests.last?.range?.first == Self.held)
        // Used once more: the bytes are gone, so the whole file is fetched.
        try await resume(data, scene)
        #expect(scene.origin.requests.last?.range == nil)
    }

    @Test func `bytes that cannot be resumed are removed at once`() async throws {
        var resource = resource
        (resource.entityTag, resource.lastModified) = (nil, nil)
        resource.acceptsRanges = false
        let scene = try SessionScene(holding: resource)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, to: .temporary, reaching: Self.held)
        // The first checkpoint gives the file its name.
        try await scene.temporary.wait(in: "unfinished") { $0.list("unfinished").count >= 2 }
        if await task.cancelByProducingResumeData() == nil {
            #expect(scene.temporary.list("unfinished").isEmpty)
        }
    }

    @Test(arguments: ["default", "running"])
    func `resume data of a temporary task works in another process`(kind: String) async throws {
        let scene = try SessionScene(holding: resource)
        let process = try ProcessRunner(
            BuiltProduct.path("SessionProbe"),
            [kind, scene.temporary.path, scene.origin.url("/disk.bin"), "\(Self.held)"]
        )
        #expect(await process.waitForOutput(containing: "."), "\(process.output)")
        process.signal(SIGKILL)
        await process.waitForExit()
        await scene.origin.waitForQuiet()
        let digits = process.output.dropFirst(5).prefix { $0 != "." }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
        }
        try await resume(try ResumeData(data: bytes), scene)
        #expect(scene.origin.requests.last?.range?.first == Self.held)
    }

    @Test func `old unfinished files are removed, and the others stay`() async throws {
        let scene = try SessionScene(.resource(resource))
        try scene.temporary.makeFolder("unfinished")
        let week = 7 * 24 * 3600
        for (name, age) in [("old", week + 60), ("young", week - 3600)] {
            let path = "unfinished/\(name).part"
            try scene.temporary.write(path, [1])
            let moment = time(nil) - age
            let times = [timeval(tv_sec: moment, tv_usec: 0), timeval(tv_sec: moment, tv_usec: 0)]
            #expect(utimes(scene.temporary.path(path), times) == 0)
        }
        let session = DownloadSession(scene.configuration)
        _ = try await session.download(try scene.url())
        #expect(scene.temporary.list("unfinished") == ["young.part"])
    }

    @Test func `an ephemeral session leaves nothing when it ends`() async throws {
        let scene = try SessionScene(holding: resource)
        weak var gone: DownloadSession?
        do {
            let session = DownloadSession(scene.configured(.ephemeral))
            gone = session
            for destination in [scene.target(), .temporary] {
                let task = session.downloadTask(with: try scene.url(), to: destination)
                task.resume()
                await waitForBytes(Self.held, of: task)
                // Within the session the task can be resumed.
                #expect(await task.cancelByProducingResumeData() != nil)
            }
            #expect(scene.folder.list() == ["disk.bin.part", "disk.bin.part.pawl"])
        }
        while gone != nil, !Task.isCancelled { await Task.yield() }
        await scene.origin.waitForQuiet()
        try await scene.temporary.wait { $0.list().isEmpty }
        #expect(scene.folder.list().isEmpty)
        #expect(scene.temporary.list().isEmpty)
    }

    @Test func `after invalidateAndCancel an ephemeral session has no files on disk`()
        async throws
    {
        let scene = try SessionScene(holding: resource)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configured(.ephemeral), delegate: delegate)
        scene.origin.route("/whole", .resource(resource))
        let whole = try await session.download(
            try scene.url("/whole"),
            to: scene.target("whole")
        )
        _ = try await session.download(try scene.url("/whole"))
        for (number, name) in ["one", "two"].enumerated() {
            let task = try await scene.start(
                in: session,
                to: scene.target(name),
                reaching: Self.held
            )
            if number == 0 { _ = await task.cancelByProducingResumeData() }
        }
        session.invalidateAndCancel()
        await delegate.calls.wait { $0.contains(.invalid) }
        #expect(scene.temporary.list().isEmpty)
        #expect(scene.folder.list() == ["whole"])
        #expect(try resource.verify(fileAt: whole.path) == nil)
        withExtendedLifetime(session) {}
    }

    @Test func `the next session removes what a crashed ephemeral session left`() async throws {
        let scene = try SessionScene(holding: resource)
        try await scene.crashEphemeralSession(after: Self.held)
        #expect(scene.folder.list() == ["disk.bin.part", "disk.bin.part.pawl"])
        scene.origin.route("/other", .resource(resource))
        let session = DownloadSession(scene.configuration)
        _ = try await session.download(try scene.url("/other"))
        #expect(scene.folder.list().isEmpty)
    }
}
