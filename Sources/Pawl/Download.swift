public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine

/// One download, which is run once and whose progress can be read from anywhere.
public final class Download: Sendable {
    /// The requested URL.
    public let url: URL
    private let destination: Destination
    private let settings: DownloadSettings
    let engine: Engine
    let end = Completion<Void>()
    private let monitor: DownloadMonitor
    private let resume: ResumeRequest?
    private let storageKey: String?

    init(
        _ url: URL,
        to destination: Destination,
        settings: DownloadSettings,
        engine: Engine,
        resume: ResumeRequest? = nil
    ) {
        self.url = url
        self.resume = resume
        storageKey = resume?.data.storageKey
        self.destination = destination
        self.settings = settings
        self.engine = engine
        monitor = DownloadMonitor(time: engine.time)
    }

    /// The current progress.
    public var progress: DownloadProgress { monitor.progress }

    /// The progress, about ten times per second, until the download has ended.
    ///
    /// A slow reader skips values and gets the newest. Readers do not slow the transfer down, and
    /// there can be any number of them.
    public var updates: ProgressUpdates { ProgressUpdates(self) }

    /// Whether the download could be resumed if it were cancelled now, and if not, why.
    public var resumability: Resumability { monitor.resumability }

    /// The data with which the download can be resumed later.
    ///
    /// While the download runs, the data describe its last checkpoint, which is at most one second
    /// old. After it has ended without the file, they describe all bytes that were kept. The value
    /// is `nil` if the download cannot be resumed; `resumability` contains the reason. An error of
    /// `run()` also contains the data.
    public var resumeData: ResumeData? { monitor.resumeData }

    /// Runs the download to its end, when the downloader's limit on concurrent downloads allows it.
    ///
    /// Cancelling the task keeps the bytes received so far and throws `.interrupted`.
    ///
    /// - Throws: `DownloadError`.
    public func run() async throws(DownloadError) -> DownloadedFile {
        guard let turn = await engine.queue.turn() else {
            monitor.ended()
            end.complete()
            throw DownloadError(.interrupted, "stopped before it started")
        }
        return try await run(in: DownloadStart(turn))
    }

    /// Runs the download to its end, in a turn that `Downloader.nextStart` has returned.
    ///
    /// The turn ends with the download, or as soon as only the file's naming is left.
    package func run(in start: DownloadStart) async throws(DownloadError) -> DownloadedFile {
        let turn = start.turn
        // This is also done for a download that fails before it has fetched anything.
        defer {
            turn.end()
            end.complete()
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
            return try await DownloadDriver(job, engine: engine, monitor: monitor) {
                turn.endEarly()
            }.run()
        } catch {
            monitor.ended()
            throw error
        }
    }
}

/// The turn of a download to run.
package struct DownloadStart: Sendable {
    let turn: DownloadTurn

    init(_ turn: DownloadTurn) { self.turn = turn }
}

extension Downloader {
    /// Waits until another download may start.
    ///
    /// Returns `nil` if the task was cancelled before.
    ///
    /// It serves many downloads: those that wait cost nothing.
    package func nextStart() async -> DownloadStart? {
        await engine.queue.turn().map { DownloadStart($0) }
    }
}

extension Download: ProgressSource {
    var currentProgress: DownloadProgress { progress }
}
