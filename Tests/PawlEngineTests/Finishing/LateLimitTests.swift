import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// A small file that is late, and a limit that changes at the moment in which the download opens
/// its file.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct LateLimitTests {
    private let resource = Resource(size: 60_000)

    @Test func `a limit change does not resume a download before its file is open`() async throws {
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(1)
        settings.limitBytesPerSecond = 20_000
        let control = DownloadControl()
        let nudges = Observed(0)
        let process = EngineProcess { real in
            NudgedTransport(real: real) {
                nudges.update { $0 += 1 }
                control.limitChanged()
            }
        }
        var job = DownloadJob(
            url: try scene.url(),
            destination: .file(scene.folder.path(Scene.name)),
            settings: settings,
            seed: 1
        )
        job.control = control
        let monitor = DownloadMonitor(time: process.engine.time)
        _ = try await DownloadDriver(job, engine: process.engine, monitor: monitor).run()
        #expect(nudges.value == 1)
        try scene.expectFile(resource)
        #expect(scene.asked.count == 1)
    }

    @Test func `small files one after the other keep a limit`() async throws {
        let scene = try Scene()
        var settings = EngineSettings()
        settings.limitBytesPerSecond = 200_000
        let process = EngineProcess(settings)
        let start = ContinuousClock.now
        for number in 0..<15 {
            scene.origin.route("/\(number)", .resource(Resource(size: 20_000)))
            let settings = scene.settings(1)
            try await scene.download(settings, from: "/\(number)", to: "\(number)", by: process)
        }
        // All but the last one are paid for: 1.4 s, of which the burst may be missing.
        #expect(ContinuousClock.now - start >= .milliseconds(1_200))
    }

    @Test func `a download that waits for a limit begins when the limit is lifted`() async throws {
        let scene = try Scene(.resource(resource))
        var settings = EngineSettings()
        settings.limitBytesPerSecond = 20
        let process = EngineProcess(settings)
        _ = process.engine.limit.charge(bytes: 100_000, now: process.engine.time.now())
        let control = DownloadControl()
        let monitor = DownloadMonitor(time: process.engine.time)
        var job = DownloadJob(
            url: try scene.url(),
            destination: .file(scene.folder.path(Scene.name)),
            settings: scene.settings(1),
            seed: 1
        )
        job.control = control
        async let file = DownloadDriver(job, engine: process.engine, monitor: monitor).run()
        while monitor.progress.phase != .connecting { await Task.yield() }
        process.engine.limit.setLimit(bytesPerSecond: nil, now: process.engine.time.now())
        control.limitChanged()
        _ = try await file
        #expect(scene.asked.count == 1)
    }
}

/// The real transport, with an action that runs right after a transfer was nudged.
private struct NudgedTransport: Transport {
    let real: any Transport
    let nudged: @Sendable () -> Void

    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        NudgedTransfer(real: real.start(request, sink: sink), nudged: nudged)
    }
}

private final class NudgedTransfer: Transfer {
    private let real: any Transfer
    private let nudged: @Sendable () -> Void

    init(real: any Transfer, nudged: @escaping @Sendable () -> Void) {
        self.real = real
        self.nudged = nudged
    }

    func resume() { real.resume() }

    func nudge() {
        real.nudge()
        nudged()
    }

    func cancel() { real.cancel() }
}
