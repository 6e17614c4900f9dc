import struct FoundationEssentials.URL
import Logging
import PawlCore
import PawlEngine
import PawlStorage
import PawlTransport

/// An engine of its own, as another process would have it.
final class EngineProcess: Sendable {
    let log = LogRecorder()
    let engine: Engine
    private let transport = CurlTransport()

    /// `wrap` puts another transport around the real one.
    init(
        _ settings: DownloaderSettings = DownloaderSettings(),
        time: any Timekeeper = SystemTimekeeper(),
        store: StoreSettings = StoreSettings(),
        network: any NetworkPathMonitoring = AlwaysReachable(),
        wrap: (any Transport) -> any Transport = { $0 }
    ) {
        let log = log
        var engine = Engine(
            transport: wrap(transport),
            time: time,
            settings: settings,
            cores: 2,
            logger: Logger(label: "test") { _ in log }
        )
        engine.storeSettings = store
        engine.network = network
        self.engine = engine
    }

    /// Ends the transport under what runs.
    func shutDownTransport() { transport.shutDown() }

    deinit {
        transport.shutDown()
        engine.shutDown()
    }

    /// Begins a download; it goes on while it is not awaited.
    func start(
        _ url: URL,
        to destination: Destination,
        _ settings: DownloadSettings,
        connectivityChanged: (@Sendable (Bool) -> Void)? = nil
    ) -> RunningDownload {
        let monitor = DownloadMonitor(time: engine.time)
        var job = DownloadJob(
            url: url,
            mirrors: settings.mirrors.map { Mirror(url: $0) },
            destination: destination,
            settings: settings,
            seed: Self.impatientSeed
        )
        job.connectivityChanged = connectivityChanged
        let task = Task { [job] () -> Result<DownloadedFile, DownloadError> in
            do throws(DownloadError) {
                guard let turn = await self.engine.queue.turn() else {
                    throw DownloadError(.interrupted, "stopped before it started")
                }
                defer { turn.end() }
                let driver = DownloadDriver(job, engine: self.engine, monitor: monitor) {
                    turn.endEarly()
                }
                return .success(try await driver.run())
            } catch {
                monitor.ended()
                return .failure(error)
            }
        }
        return RunningDownload(monitor: monitor, log: log, task: task)
    }

    /// Draws short waits at first, so that tests of retries do not take long.
    static let impatientSeed: UInt64 =
        (0..<100_000).first { seed in
            var policy = RetryPolicy(limit: 3, seed: seed)
            let waits = (0..<3).map { _ in
                if case .retry(let wait) = policy.failed(mayRetryAtOnce: false) { return wait }
                return .zero
            }
            return waits.allSatisfy { $0 > .zero } && waits.reduce(.zero, +) < .milliseconds(200)
        } ?? 0
}

/// A download that runs.
struct RunningDownload: Sendable {
    let monitor: DownloadMonitor
    let log: LogRecorder
    fileprivate let task: Task<Result<DownloadedFile, DownloadError>, Never>

    init(
        monitor: DownloadMonitor,
        log: LogRecorder,
        task: Task<Result<DownloadedFile, DownloadError>, Never>
    ) {
        self.monitor = monitor
        self.log = log
        self.task = task
    }

    var progress: DownloadProgress { monitor.progress }

    /// Its end; a test that is cancelled (its time limit) ends it.
    func file() async throws(DownloadError) -> DownloadedFile {
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// As Ctrl-C does it.
    func cancel() { task.cancel() }

    /// Waits until so many bytes are on disk.
    ///
    /// The origin should have sent them already: nothing tells of a byte's arrival, so this looks
    /// again and again.
    func waitForBytes(_ count: Int64) async {
        while progress.completedBytes < count, !Task.isCancelled, !progress.phase.isEnd {
            await Task.yield()
        }
    }
}

extension RunningDownload {
    /// Waits until its progress is like that, or it has ended.
    ///
    /// Nothing tells of it, so this looks again and again.
    func wait(until isMet: (DownloadProgress) -> Bool) async {
        while !isMet(progress), !Task.isCancelled, !progress.phase.isEnd { await Task.yield() }
    }
}

extension DownloadPhase {
    var isEnd: Bool { self == .finished || self == .failed }
}
