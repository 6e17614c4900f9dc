public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine

/// One download: run it once, look at its progress from anywhere.
public final class Download: Sendable {
    /// What was asked for.
    public let url: URL
    private let destination: Destination
    private let settings: DownloadSettings
    private let engine: Engine
    private let monitor: DownloadMonitor

    init(_ url: URL, to destination: Destination, settings: DownloadSettings, engine: Engine) {
        self.url = url
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
    public var updates: ProgressUpdates { ProgressUpdates(monitor: monitor, time: engine.time) }

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
        defer { fetched.end() }
        do throws(DownloadError) {
            let request = try CheckedRequest(url, settings)
            let job = DownloadJob(
                url: request.url,
                mirrors: request.mirrors,
                destination: destination,
                settings: request.settings,
                seed: engine.seeds.next()
            )
            return try await engine.queue.run { (turn) async throws(DownloadError) in
                try await DownloadDriver(job, engine: self.engine, monitor: self.monitor) {
                    if turn.endEarly() { fetched.end() }
                }.run()
            }
        } catch {
            monitor.ended()
            throw error
        }
    }
}
