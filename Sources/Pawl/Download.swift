public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine

/// One download: run it once, look at its progress from anywhere.
public final class Download: Sendable {
    /// What was asked for.
    public let url: URL
    private let destination: Destination
    private let settings: DownloadSettings
    let engine: Engine
    let end = EndSignal()
    private let monitor: DownloadMonitor
    private let resume: ResumeOrder?
    private let storageKey: String?

    init(
        _ url: URL,
        to destination: Destination,
        settings: DownloadSettings,
        engine: Engine,
        resume: ResumeOrder? = nil
    ) {
        self.url = url
        self.resume = resume
        storageKey = resume?.data.storageKey
        self.destination = destination
        self.settings = settings
        self.engine = engine
        monitor = DownloadMonitor(time: engine.time)
    }

    /// How far it is, at this moment.
    public var progress: DownloadProgress { monitor.progress }

    /// The progress about ten times a second, until the download has ended.
    ///
    /// A slow reader misses what came in between and gets the newest; it costs the transfer nothing.
    /// Any number of readers may look.
    public var updates: ProgressUpdates { ProgressUpdates(self) }

    /// Whether the download could be gone on with if it were cancelled now, and why not.
    public var resumability: Resumability { monitor.resumability }

    /// What to go on with later: while it runs as of the last checkpoint (at most a second old), and
    /// when it has ended without the file, of all that was kept.
    ///
    /// Nil where there is nothing to go on with; `resumability` says why. An error of `run()` carries
    /// it too.
    public var resumeData: ResumeData? { monitor.resumeData }

    /// Runs to the end, when the downloader's limit on concurrent downloads allows it.
    ///
    /// Cancelling the task keeps what came and throws `.interrupted`.
    ///
    /// - Throws: `DownloadError`.
    public func run() async throws(DownloadError) -> DownloadedFile {
        try await run {}
    }

    /// `whenFetched` is called once, when the next download may begin: at the end, or as soon as
    /// nothing is left but to give a file its name.
    package func run(
        whenFetched: @escaping @Sendable () -> Void
    ) async throws(DownloadError) -> DownloadedFile {
        let fetched = DownloadTurn(whenEnded: whenFetched)
        // Also of one that fails before it has fetched anything.
        defer {
            fetched.end()
            end.set()
        }
        do throws(DownloadError) {
            let request = try CheckedRequest(url, settings)
            var job = DownloadJob(
                url: request.url,
                mirrors: request.mirrors,
                destination: destination,
                settings: request.settings,
                seed: engine.seeds.next()
            )
            job.resume = resume
            job.storageKey = storageKey
            return try await run(job, fetched)
        } catch {
            monitor.ended()
            throw error
        }
    }

    private func run(
        _ job: DownloadJob,
        _ fetched: DownloadTurn
    ) async throws(DownloadError) -> DownloadedFile {
        try await engine.queue.run { (turn) async throws(DownloadError) in
            try await DownloadDriver(job, engine: engine, monitor: monitor) {
                if turn.endEarly() { fetched.end() }
            }.run()
        }
    }
}

extension Download: ProgressSource {
    var currentProgress: DownloadProgress { progress }
}
