import struct FoundationEssentials.URL
import Logging
import PawlCore
import PawlEngine
import PawlStorage
import PawlTransport

/// A separate engine, as another process would have it.
final class EngineProcess: Sendable {
    let log = LogRecorder()
    let engine: Engine
    private let transport = CurlTransport()

    /// Creates an engine.
    ///
    /// `wrap` puts another transport around the real one.
    init(
        _ settings: EngineSettings = EngineSettings(),
        time: any Timekeeper = SystemTimekeeper(),
        store: StoreSettings = StoreSettings(),
        network: any NetworkPathMonitoring = AlwaysReachable(),
        wrap: (any Transport) -> any Transport = { $0 }
    ) {
        let log = log
        var engineSettings = settings
        engineSettings.store = store
        engineSettings.network = network
        engineSettings.digestThreads = 2
        engine = Engine(
            transport: wrap(transport),
            time: time,
            settings: engineSettings,
            logger: Logger(label: "test") { _ in log }
        )
    }

    /// Shuts down the transport while downloads use it.
    func shutDownTransport() { transport.shutDown() }

    deinit {
        transport.shutDown()
        engine.shutDown()
    }

    /// Starts a download, which runs even if it is not awaited.
    func start(
        _ url: URL,
        to destination: Destination,
        _ settings: DownloadSettings,
        output: OrderedOutput? = nil,
        target: ByteTarget? = nil,
        connectivityChanged: (@Sendable (Bool) -> Void)? = nil,
        whenFetched: @escaping @Sendable () -> Void = {}
    ) -> RunningDownload {
        let monitor = DownloadMonitor(time: engine.time)
        var job = DownloadJob(
            url: url,
            mirrors: settings.mirrors.map { Mirror(url: $0) },
            destination: destination,
            settings: settings,
            seed: Self.impatientSeed
        )
        job.output = output
        job.target = target
        job.connectivityChanged = connectivityChanged
        let task = Task { [job] () -> Result<DownloadedFile, DownloadError> in
            do throws(DownloadError) {
                return .success(try await self.engine.run(job, monitor, whenFetched: whenFetched))
            } catch {
                monitor.ended()
                return .failure(error)
            }
        }
        return RunningDownload(monitor: monitor, log: log, task: task)
    }

    /// A seed that draws short waits at first, so that tests of retries are quick.
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

extension Engine {
    /// Runs a download to its end, in the lane for small files or with a driver.
    ///
    /// Cancelling the task keeps the bytes received so far and throws `.interrupted`. `whenFetched`
    /// is called as by a driver.
    fileprivate func run(
        _ job: DownloadJob,
        _ monitor: DownloadMonitor,
        whenFetched: @escaping @Sendable () -> Void
    ) async throws(DownloadError) -> DownloadedFile {
        let end = Completion<LaneDownload.End>()
        let download = LaneDownload.begin(
            job,
            engine: self,
            monitor: monitor,
            whenFetched: whenFetched
        ) { end.complete(with: $0) }
        guard let download else {
            let driver = DownloadDriver(
                job,
                engine: self,
                monitor: monitor,
                whenFetched: whenFetched
            )
            return try await driver.run()
        }
        let ended = await withTaskCancellationHandler {
            await end.waitIgnoringCancellation()
        } onCancel: {
            download.cancel()
        }
        switch ended {
        case .finished(let file): return file
        case .left(let handover):
            return try await DownloadDriver(handover, whenFetched: whenFetched).run()
        }
    }
}

/// A running download.
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

    /// Waits for the download's end.
    ///
    /// Cancelling the test (its time limit) cancels the download.
    func file() async throws(DownloadError) -> DownloadedFile {
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Cancels the download, as Ctrl-C does.
    func cancel() { task.cancel() }

    /// Waits until `count` bytes are on disk.
    ///
    /// The origin should have sent them already. Nothing announces a byte's arrival, so this polls.
    func waitForBytes(_ count: Int64) async {
        while progress.completedBytes < count, !Task.isCancelled, !progress.phase.isEnd {
            await Task.yield()
        }
    }
}

extension RunningDownload {
    /// Waits until the progress meets a condition, or the download ends.
    ///
    /// Nothing announces it, so this polls.
    func wait(until isMet: (DownloadProgress) -> Bool) async {
        while !isMet(progress), !Task.isCancelled, !progress.phase.isEnd { await Task.yield() }
    }
}

extension DownloadPhase {
    var isEnd: Bool { self == .finished || self == .failed }
}
