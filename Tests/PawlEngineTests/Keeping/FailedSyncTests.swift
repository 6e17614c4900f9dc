import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting
import Testing

/// After a failed sync the pages are not trusted: the range is fetched again.
///
/// The disk here loses the bytes whose sync failed.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct FailedSyncTests {
    private let resource = Resource(size: Scene.size)

    /// Settings without a stall timeout, because the tests advance the clock freely.
    private func settings(_ scene: Scene) -> DownloadSettings {
        var settings = scene.settings(1)
        settings.stallTimeout = .seconds(1_000_000)
        return settings
    }

    /// Waits for a sync of the bytes before each latch.
    ///
    /// The second sync may still be running.
    private func passTwoSyncs(
        of running: RunningDownload,
        _ first: Latch,
        _ second: Latch,
        _ clock: ManualTimekeeper,
        _ disk: WatchedDisk
    ) async {
        await first.waitForArrivals()
        await running.waitForBytes(300_000)
        await clock.passUntil(disk, syncs: 1)
        first.release()
        await second.waitForArrivals()
        await running.waitForBytes(600_000)
        await clock.passUntil(disk, syncs: 2)
    }

    @Test func `after a failed sync only the previously durable bytes are trusted`() async throws {
        let (first, second, third) = (Latch(), Latch(), Latch())
        let (clock, disk) = (ManualTimekeeper(), WatchedDisk())
        let store = disk.settings { $0 == 2 ? .loses(ByteRange(300_000, 600_000)) : .none }
        let reply = Reply.resource(resource)
        let whole = reply.holdAfterBytes(300_000, until: first)
            .holdAfterBytes(600_000, until: second)
        let scene = try Scene(whole.forRanges(reply.holdAfterBytes(0, until: third)))
        let process = EngineProcess(time: clock, store: store)
        let running = try scene.start(settings(scene), by: process)
        await passTwoSyncs(of: running, first, second, clock, disk)
        await third.waitForArrivals()
        #expect(running.progress.completedBytes == 300_000)
        #expect(scene.asked.map { $0.range?.first } == [nil, 300_000])
        third.release()
        _ = try await running.file()
        try scene.expectFile(resource)
        second.release()
    }

    @Test func `a sync failure noticed at the finish denies the file its name`() async throws {
        let latch = Latch()
        let (clock, disk, gate) = (ManualTimekeeper(), WatchedDisk(), Gate())
        let store = disk.settings { number in
            guard number == 1 else { return .none }
            gate.wait()
            return .loses(ByteRange(0, 300_000))
        }
        let reply = Reply.resource(resource)
        let scene = try Scene(
            reply.choosing(reply.holdAfterBytes(300_000, until: latch)) { $0.ordinal == 1 }
        )
        defer { gate.open() }
        let process = EngineProcess(time: clock, store: store)
        let running = try scene.start(settings(scene), by: process)
        await latch.waitForArrivals()
        await running.waitForBytes(300_000)
        await clock.passUntil(disk, syncs: 1)
        latch.release()
        await running.wait { $0.phase == .verifying }
        gate.open()
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(scene.asked.count >= 2)
        #expect(running.log.says("unsynced bytes again"))
    }

    /// The transfer's end is delayed, so that the failure follows the download's own end.
    @Test func `a sync failure after the download's end discards unsynced bytes`() async throws {
        let (first, second) = (Latch(), Latch())
        let (clock, disk) = (ManualTimekeeper(), WatchedDisk())
        let (sync, end, isEnding) = (Gate(), Gate(), Observed(false))
        let store = disk.settings { number in
            guard number == 2 else { return .none }
            sync.wait()
            return .loses(ByteRange(300_000, 600_000))
        }
        let reply = Reply.resource(resource)
        let scene = try Scene(
            reply.holdAfterBytes(300_000, until: first).holdAfterBytes(600_000, until: second)
        )
        defer { for gate in [sync, end] { gate.open() } }
        let process = EngineProcess(time: clock, store: store) { real in
            WatchedTransport(real: real) { moment in
                guard moment == .ended else { return }
                isEnding.update { $0 = true }
                end.wait()
            }
        }
        let running = try scene.start(settings(scene), by: process)
        await passTwoSyncs(of: running, first, second, clock, disk)
        running.cancel()
        await isEnding.wait { $0 }
        let partial = try #require(running.monitor.paths).partial
        #expect(try CheckpointSummary.read(partial).usable.count == 600_000)
        sync.open()
        while try CheckpointSummary.read(partial).usable.count > 300_000, !Task.isCancelled {
            await Task.yield()
        }
        end.open()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.message.contains("300000 bytes are kept") == true)
        second.release()
        scene.serve(reply)
        scene.forgetRequests()
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.first?.range?.first == 300_000)
    }

    /// All threads for syncs are busy, so that the sync runs only after the file has changed.
    @Test func `a sync that waited while the file changed makes nothing durable`() async throws {
        let (old, new) = (Resource(size: Scene.size), Resource(size: Scene.size, seed: 2))
        let (first, second, gate) = (Latch(), Latch(), Gate())
        let clock = ManualTimekeeper()
        let process = EngineProcess(time: clock)
        let reply = Reply.resource(new)
        let broken = Reply.resource(old).holdAfterBytes(300_000, until: first)
            .afterBytes(310_000, .reset)
        let scene = try Scene(
            reply.holdAfterBytes(100_000, until: second).forRanges(reply)
                .choosing(broken) { $0.ordinal == 1 }
        )
        let pool = process.engine.syncs
        async let _: Void = pool.keepBusy(threads: 4, gate)
        defer { for _ in 0..<4 { gate.open() } }
        await pool.waitForThreads(4)
        let running = try scene.start(settings(scene), by: process)
        await first.waitForArrivals()
        await running.waitForBytes(300_000)
        while !scene.folder.exists(Scene.name + ".part"), !Task.isCancelled {
            await clock.passSecond()
        }
        first.release()
        await second.waitForArrivals()
        await running.wait { $0.completedBytes == 100_000 }
        // One thread becomes free: it runs the sync of the old bytes, then the job awaited here.
        gate.open()
        try await pool.run {}
        running.cancel()
        await #expect(throws: DownloadError.self) { try await running.file() }
        scene.serve(reply)
        scene.forgetRequests()
        try await scene.download(scene.settings(1))
        try scene.expectFile(new)
        #expect(scene.asked.first?.range?.first == 100_000)
        second.release()
    }
}
