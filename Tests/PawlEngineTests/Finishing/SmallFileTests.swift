import Glibc
import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Files that arrive within a checkpoint's interval: they are kept in memory and share one sync.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct SmallFileTests {
    private let resource = Resource(size: 60_000)

    @Test func `many small files are whole, and no partial file remains`() async throws {
        let scene = try Scene()
        let process = EngineProcess()
        let resources = (0..<60).map { Resource(size: Int64($0 * 1_100), seed: UInt64($0 + 1)) }
        var running: [RunningDownload] = []
        for (number, resource) in resources.enumerated() {
            scene.origin.route("/\(number)", .resource(resource))
            let settings = scene.settings(4)
            running.append(
                try scene.start(settings, from: "/\(number)", to: "\(number)", by: process)
            )
        }
        for download in running { _ = try await download.file() }
        #expect(scene.folder.list().count == resources.count)
        for (number, resource) in resources.enumerated() {
            #expect(try resource.verify(fileAt: scene.folder.path("\(number)")) == nil)
        }
        #expect(scene.origin.requests.count == resources.count)
    }

    @Test func `a small file that breaks resumes at its offset`() async throws {
        let reply = Reply.resource(resource)
        let scene = try Scene(.sequence([reply.afterBytes(25_000, .reset), reply]))
        let running = try scene.start(scene.settings(1))
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(scene.asked.map { $0.range?.first } == [nil, 25_000])
        // Each byte is counted once, although the first bytes were in memory before they were in a
        // file.
        #expect(running.monitor.receivedBytes == resource.size)
        #expect(running.monitor.metrics.bytesReceived == resource.size)
    }

    @Test func `a slow small file is kept like a large one`() async throws {
        let reply = Reply.resource(resource).rate(30_000)
        let scene = try Scene(reply.holdAfterBytes(45_000, until: Latch()))
        let running = try scene.start(scene.settings(1))
        await running.waitForBytes(40_000)
        running.cancel()
        await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(running.monitor.receivedBytes == running.progress.completedBytes)
        #expect(scene.folder.list() == [Scene.name + ".part", Scene.name + ".part.pawl"])
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect((scene.asked.first?.range?.first ?? 0) >= 40_000)
    }

    @Test func `a file that is fetched gives way to others while the disk syncs`() async throws {
        let gate = Gate()
        var store = StoreSettings()
        store.syncAll = {
            gate.wait()
            return fsync($0)
        }
        let process = EngineProcess(store: store)
        let scene = try Scene()
        let names = (0..<5).map { "\($0).bin" }
        let (fetched, whenFetched) = AsyncStream.makeStream(of: Void.self)
        var running: [RunningDownload] = []
        for name in names {
            scene.origin.route("/" + name, .resource(resource))
            let download = process.start(
                try scene.url("/" + name),
                to: .file(scene.folder.path(name)),
                scene.settings(1),
                whenFetched: { whenFetched.yield() }
            )
            running.append(download)
        }
        for await _ in fetched.prefix(names.count) {}
        // A file's name guarantees that its bytes are on the disk.
        #expect(scene.folder.list().isEmpty)
        for _ in names { gate.open() }
        for download in running { _ = try await download.file() }
        #expect(scene.folder.list() == names)
    }

    @Test func `after a failed sync a small file is written again`() async throws {
        let disk = WatchedDisk()
        let lost = ByteRange(0, 60_000)
        let store = disk.settings { $0 == 1 ? .loses(lost) : .none }
        let scene = try Scene(.resource(resource))
        try await scene.download(scene.settings(1), by: EngineProcess(store: store))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 1)
        #expect(disk.syncs == 2)
    }

    @Test func `a stalled small file keeps its bytes`() async throws {
        let reply = Reply.resource(resource)
        // A busy machine may stall the second connection, too.
        let isKept = try await quietRound {
            let scene = try Scene(.sequence([reply.stallAfterBytes(25_000), reply]))
            var settings = scene.settings(1)
            settings.stallTimeout = .seconds(2)
            try await scene.download(settings)
            try scene.expectFile(resource)
            return scene.asked.map { $0.range?.first } == [nil, 25_000]
        }
        #expect(isKept)
    }

    // MARK: - In memory when the download ends

    /// Stops the download once that much is in memory.
    ///
    /// Returns the ranges that the next run requests.
    private func stop(
        _ reply: Reply,
        at moment: SinkMoment
    ) async throws -> [Int64?] {
        let scene = try Scene(reply)
        let isThere = Observed(false)
        let gate = Gate()
        // A clock that stands still, so that nothing becomes overdue.
        let process = EngineProcess(time: ManualTimekeeper()) { real in
            WatchedTransport(real: real) { now in
                guard now == moment else { return }
                isThere.update { $0 = true }
                gate.wait()
            }
        }
        let running = try scene.start(scene.settings(1), by: process)
        await isThere.wait { $0 }
        #expect(scene.folder.list().isEmpty)
        running.cancel()
        gate.open()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .interrupted)
        // The bytes do not count as those of an earlier run.
        #expect(running.progress.resumedBytes == 0)
        #expect(scene.folder.list() == [Scene.name + ".part", Scene.name + ".part.pawl"])
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        return scene.asked.map { $0.range?.first }
    }

    @Test func `bytes in memory are kept when the download is stopped`() async throws {
        let reply = Reply.resource(resource).stallAfterBytes(25_000)
        #expect(try await stop(reply, at: .received(25_000)) == [25_000])
    }

    @Test func `a small file that is whole when the download is stopped is kept`() async throws {
        let asked = try await stop(.resource(resource), at: .ended)
        #expect(asked.isEmpty)
    }

    @Test func `stalled bytes leave memory within a second`() async throws {
        let scene = try Scene(.resource(resource).stallAfterBytes(25_000))
        let running = try scene.start(scene.settings(1))
        let path = FilePath(scene.folder.path(Scene.name + ".part"))
        var claimed = RangeSet()
        while claimed.count < 25_000, !Task.isCancelled {
            await Task.yield()
            claimed = (try? CheckpointSummary.read(path).usable) ?? RangeSet()
        }
        // As after a kill: nothing of this run may help.
        #expect(!running.progress.phase.isEnd)
        #expect(claimed == RangeSet(ByteRange(0, 25_000)))
        running.cancel()
        await #expect(throws: DownloadError.self) { try await running.file() }
    }

    @Test func `the rest of a late small file arrives over the same connection`() async throws {
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(25_000, until: latch))
        let running = try scene.start(scene.settings(1))
        await running.waitForBytes(25_000)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(scene.asked.count == 1)
    }

    @Test(arguments: [false, true])
    func `an earlier partial file under the server's name leaves no hole`(
        isSlow: Bool
    ) async throws {
        let scene = try Scene()
        let named = Reply.resource(resource)
            .setting("Content-Disposition", "attachment; filename=given.bin")
        let latch = Latch()
        scene.serve(named.rate(5_000).holdAfterBytes(6_000, until: latch))
        let process = EngineProcess()
        let folder = Destination.directory(scene.folder.path)
        let first = process.start(try scene.url(), to: folder, scene.settings(1))
        await latch.waitForArrivals()
        await first.waitForBytes(6_000)
        first.cancel()
        await #expect(throws: DownloadError.self) { try await first.file() }
        #expect(scene.folder.list() == ["given.bin.part", "given.bin.part.pawl"])
        // A slow file stays in memory for longer than a checkpoint's interval before its file is
        // opened.
        scene.serve(isSlow ? named.rate(30_000) : named)
        _ = try await process.start(try scene.url(), to: folder, scene.settings(1)).file()
        try scene.expectFile(resource, name: "given.bin")
    }
}
