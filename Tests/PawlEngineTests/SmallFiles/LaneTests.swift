import Glibc
import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting
import Synchronization
import Testing

/// Downloads in the lane for small files: which ends there, and which are left to a driver.
@Suite(.timeLimit(.minutes(5)))
struct LaneTests {
    private let resource = Resource(size: 10_240)

    /// One download in the lane, and its end.
    private struct Run {
        let scene: Scene
        let process: EngineProcess
        let monitor: DownloadMonitor
        let control = DownloadControl()
        let end = Completion<LaneDownload.End>()
        var job: DownloadJob

        init(
            _ reply: Reply,
            process: EngineProcess = EngineProcess(),
            change: (inout DownloadSettings) -> Void = { _ in }
        ) throws {
            scene = try Scene(reply)
            self.process = process
            monitor = DownloadMonitor(time: process.engine.time)
            var settings = scene.settings(1)
            change(&settings)
            job = DownloadJob(
                url: try scene.url(),
                destination: .file(scene.folder.path(Scene.name)),
                settings: settings,
                seed: EngineProcess.impatientSeed
            )
            job.control = control
        }

        /// Begins the download; `nil` if it does not fit.
        func begin() -> LaneDownload? {
            LaneDownload.begin(job, engine: process.engine, monitor: monitor) {
                end.complete(with: $0)
            }
        }

        /// Whether the download ended in the lane.
        ///
        /// If it left, a driver runs it to its end.
        func isFinishedInLane() async throws(DownloadError) -> Bool {
            switch await end.waitIgnoringCancellation() {
            case .finished: return true
            case .left(let handover):
                _ = try await DownloadDriver(handover).run()
                return false
            }
        }
    }

    @Test func `the lane's order is the one with which a planner begins`() throws {
        let scene = try Scene(.resource(resource))
        let url = try scene.url()
        var planner = DownloadPlanner(url: url, settings: scene.settings(4), seed: 1)
        var transfers: [PlannedTransfer] = []
        for event in [DownloadEvent.started(nil), .slotGranted(host: HostBudget.name(of: url))] {
            for case .open(let planned) in planner.handle(event, at: .zero) {
                transfers.append(planned)
            }
        }
        #expect(transfers == [.first(url)])
    }

    @Test func `a small file is finished in the lane`() async throws {
        // A file that takes more than half a second on a busy machine is left to a driver.
        let isFinished = try await quietRound {
            let run = try Run(.resource(resource))
            _ = try #require(run.begin())
            let isFinished = try await run.isFinishedInLane()
            try run.scene.expectFile(resource)
            #expect(run.monitor.progress.phase == .finished)
            #expect(run.monitor.metrics.bytesReceived == resource.size)
            #expect(run.process.engine.budgets.hosts.isEmpty)
            return isFinished
        }
        #expect(isFinished)
    }

    @Test func `a file that exists is kept without a request`() async throws {
        let run = try Run(.resource(resource)) { $0.ifExists = .skip }
        _ = try run.scene.folder.write(Scene.name, "mine")
        _ = try #require(run.begin())
        #expect(try await !run.isFinishedInLane())
        #expect(run.scene.asked.isEmpty)
        #expect(run.monitor.wasThere)
    }

    @Test(arguments: ["large", "redirect", "encoded", "unknown length"])
    func `a response other than a small file goes to a driver, over the same connection`(
        kind: String
    ) async throws {
        let large = Resource(size: 200_000)
        let expected = kind == "large" ? large : resource
        let reply: Reply =
            switch kind {
            case "large": .resource(large)
            case "redirect": .redirect(to: "/elsewhere")
            case "encoded": .resource(resource).contentEncoding("gzip")
            default: .resource(resource).chunked()
            }
        let run = try Run(reply)
        run.scene.origin.route("/elsewhere", .resource(resource))
        _ = try #require(run.begin())
        #expect(try await !run.isFinishedInLane())
        try run.scene.expectFile(expected)
        // The driver takes over the response instead of requesting the file again.
        #expect(run.scene.asked.filter { $0.path == Scene.path }.count == 1)
        #expect(run.process.engine.budgets.hosts.isEmpty)
    }

    @Test func `an error goes to a driver`() async throws {
        let run = try Run(.status(404))
        _ = try #require(run.begin())
        let error = await #expect(throws: DownloadError.self) { try await run.isFinishedInLane() }
        #expect(error?.httpStatus == 404)
        #expect(run.scene.asked.count == 1)
        #expect(run.process.engine.budgets.hosts.isEmpty)
    }

    /// What happens to a download that waits for a connection.
    enum Waiting: CaseIterable {
        case granted, tooLong, stopped
    }

    @Test(arguments: Waiting.allCases)
    func `a download waits half a second for a connection of its host`(
        ending: Waiting
    ) async throws {
        let latch = Latch()
        let time = ManualTimekeeper()
        var settings = EngineSettings()
        settings.connectionsPerHost = 1
        let run = try Run(.resource(resource), process: EngineProcess(settings, time: time))
        run.scene.origin.route("/other", .resource(resource).holdAfterBytes(0, until: latch))
        let other = try run.scene.start(
            run.scene.settings(1),
            from: "/other",
            to: "other",
            by: run.process
        )
        await latch.waitForArrivals()
        _ = try #require(run.begin())
        while run.process.engine.budgets.hosts.first?.waiting != 1 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(!run.end.isComplete)
        switch ending {
        case .granted: latch.release()
        case .tooLong: time.advance(by: .milliseconds(500))
        case .stopped: run.control.stop()
        }
        let end = await run.end.waitIgnoringCancellation()
        latch.release()
        _ = try await other.file()
        switch end {
        case .finished: #expect(ending == .granted)
        case .left(let handover):
            let file = try? await DownloadDriver(handover).run()
            #expect(ending == (file == nil ? .stopped : .tooLong))
        }
        let names = ending == .stopped ? ["other"] : ["other", Scene.name]
        #expect(run.scene.folder.list() == names.sorted())
        #expect(run.process.engine.budgets.hosts.isEmpty)
    }

    // MARK: - Stopped in each phase

    private func expectStopped(_ run: Run) async {
        let error = await #expect(throws: DownloadError.self) { try await run.isFinishedInLane() }
        #expect(error?.code == .interrupted)
        #expect(run.scene.folder.list().isEmpty)
        #expect(run.process.engine.budgets.hosts.isEmpty)
    }

    @Test func `a download that was stopped before it began requests nothing`() async throws {
        let run = try Run(.resource(resource))
        run.control.stop()
        _ = try #require(run.begin())
        await expectStopped(run)
        #expect(run.scene.asked.isEmpty)
    }

    @Test func `a download that is stopped while it waits for the disk requests nothing`()
        async throws
    {
        let run = try Run(.resource(resource))
        let gate = Gate()
        let disk = run.process.engine.disk
        let busy = Task { try await disk.keepBusy(threads: 4, gate) }
        await disk.waitForThreads(4)
        _ = try #require(run.begin())
        run.control.stop()
        guard case .left(let handover) = await run.end.waitIgnoringCancellation() else {
            Issue.record("it did not wait")
            return
        }
        for _ in 0..<4 { gate.open() }
        try await busy.value
        let error = await #expect(throws: DownloadError.self) {
            try await DownloadDriver(handover).run()
        }
        #expect(error?.code == .interrupted)
        #expect(run.scene.asked.isEmpty)
        #expect(run.scene.folder.list().isEmpty)
    }

    @Test func `a download that is stopped before the response leaves nothing`() async throws {
        let run = try Run(.never)
        _ = try #require(run.begin())
        _ = await run.scene.origin.waitForRequests(1)
        run.control.stop()
        await expectStopped(run)
    }

    @Test func `a file that is being written is finished, even if it is stopped meanwhile`()
        async throws
    {
        // A file that takes more than half a second on a busy machine is left to a driver.
        #expect(try await quietRound { try await isFinishedDespiteCancel() })
    }

    /// Cancels a download while its file is synced; returns whether it is finished in the lane.
    private func isFinishedDespiteCancel() async throws -> Bool {
        let gate = Gate()
        let isSyncing = Observed(false)
        var store = StoreSettings()
        store.syncAll = {
            isSyncing.update { $0 = true }
            gate.wait()
            return fsync($0)
        }
        let run = try Run(.resource(resource), process: EngineProcess(store: store))
        let download = try #require(run.begin())
        while !isSyncing.value, !run.end.isComplete, !Task.isCancelled { await Task.yield() }
        download.cancel()
        download.cancel()
        for _ in 0..<10 { gate.open() }
        switch await run.end.waitIgnoringCancellation() {
        case .finished:
            try run.scene.expectFile(resource)
            return true
        case .left(let handover):
            // It was cancelled.
            _ = try? await DownloadDriver(handover).run()
            return false
        }
    }

    @Test func `a file that cannot be written ends with the error of the disk`() async throws {
        let store = WatchedDisk().settings { _ in .loses(ByteRange(0, 10_240)) }
        let run = try Run(.resource(resource), process: EngineProcess(store: store))
        _ = try #require(run.begin())
        let error = await #expect(throws: DownloadError.self) { try await run.isFinishedInLane() }
        #expect(error?.code == .diskFailure)
        #expect(run.process.engine.budgets.hosts.isEmpty)
    }

    // MARK: - Time

    @Test func `a server that is silent for half a second gets a driver`() async throws {
        let latch = Latch()
        let time = ManualTimekeeper()
        let run = try Run(
            .resource(resource).holdAfterBytes(0, until: latch),
            process: EngineProcess(time: time)
        )
        _ = try #require(run.begin())
        await latch.waitForArrivals()
        #expect(!run.end.isComplete)
        time.advance(by: .milliseconds(500))
        guard case .left(let handover) = await run.end.waitIgnoringCancellation() else {
            Issue.record("it ended without a response")
            return
        }
        latch.release()
        _ = try await DownloadDriver(handover).run()
        try run.scene.expectFile(resource)
        #expect(run.scene.asked.count == 1)
    }

    @Test func `no alarm is set without downloads`() async throws {
        let run = try Run(.resource(resource))
        _ = try #require(run.begin())
        _ = try await run.isFinishedInLane()
        while run.process.engine.alarms.setCount > 0, !Task.isCancelled { await Task.yield() }
        #expect(run.process.engine.alarms.setCount == 0)
    }

    // MARK: - Not in the lane

    @Test func `a download that the lane does not support never enters it`() throws {
        let scene = try Scene(.resource(resource))
        let url = try scene.url()
        let digest = try #require(ContentDigest(.sha256, bytes: Array(repeating: 0, count: 32)))
        let changes: [(inout DownloadJob) -> Void] = [
            { $0.mirrors = [Mirror(url: url)] },
            { $0.settings.checksum = .digest(digest) },
            { $0.settings.allowsExpensiveNetwork = false },
            { $0.willFinish = { _ in } },
            { $0.choosesDestination = { _ in .directory(".") } },
        ]
        for change in changes {
            var run = try Run(.resource(resource))
            change(&run.job)
            #expect(run.begin() == nil)
        }
    }

    @Test func `downloads of one name at the same time get different names`() async throws {
        let scene = try Scene(.resource(resource))
        let process = EngineProcess()
        var settings = scene.settings(1)
        settings.ifExists = .rename
        let resources = (1...12).map { Resource(size: 5_000, seed: UInt64($0)) }
        var running: [RunningDownload] = []
        for (index, resource) in resources.enumerated() {
            scene.origin.route("/\(index)", .resource(resource))
            running.append(try scene.start(settings, from: "/\(index)", by: process))
        }
        var paths: Set<String> = []
        for (download, resource) in zip(running, resources) {
            let file = try await download.file()
            #expect(paths.insert(file.path).inserted)
            #expect(try resource.verify(fileAt: file.path) == nil)
        }
        #expect(scene.folder.list().count == resources.count)
    }
}
