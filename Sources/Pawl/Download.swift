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
        guard let turn = await engine.queue.turn() else {
            monitor.ended()
            end.set()
            throw DownloadError(.interrupted, "stopped before it began")
        }
        return try await run(in: DownloadStart(turn))
    }

    /// Runs to the end, in a turn that `Downloader.nextStart` has given.
    ///
    /// The turn ends with the download, or as soon as nothing is left but to give a file its name.
    package func run(in start: DownloadStart) async throws(DownloadError) -> DownloadedFile {
        let turn = start.turn
        // Also of one that fails before it has fetched anything.
        defer {
            turn.end()
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
            return try await DownloadDriver(job, engine: engine, monitor: monitor) {
                turn.endEarly()
            }.run()
        } catch {
            monitor.ended()
            throw error
        }
    }
}

/// A turn to run a download.
package struct DownloadStart: Sendable {
    let turn: DownloadTurn

    init(_ turn: DownloadTurn) { self.turn = turn }
}

extension Downloader {
    /// Waits until another download may start; `nil` if the task was cancelled before.
    ///
    /// For many downloads: those that wait cost nothing.
    package func nextStart() async -> DownloadStart? {
        await engine.queue.turn().map { DownloadStart($0) }
    }
}

extension Download: ProgressSource {
    var currentProgress: DownloadProgress { progress }
}
