public import struct FoundationEssentials.URL
internal import Glibc
public import Logging
@_exported public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import PawlTransport

/// Downloads files over several connections, resumable and verified.
///
/// It adds connections only while the total speed increases. All downloads of one downloader share
/// its limits: the number of simultaneous downloads, the number of connections per host, and the
/// bytes per second.
///
/// ```swift
/// let downloader = Downloader()
/// let file = try await downloader.download(url, to: .directory(folder))
/// print(file.path, file.byteCount)
/// ```
public final class Downloader: Sendable {
    let engine: Engine
    private let transport: CurlTransport

    /// Creates a downloader.
    ///
    /// Threads start with the first download.
    public init(
        settings: DownloaderSettings = DownloaderSettings(),
        logger: Logger = Logger(label: "pawl")
    ) {
        transport = CurlTransport()
        engine = .make(over: transport, EngineSettings(ofSystem: settings), logger)
    }

    /// Fetches a file, which is complete, verified and named when this returns.
    ///
    /// If an earlier run left part of the file, only the rest is fetched. Cancelling the task ends
    /// the download and keeps the bytes received so far; another call resumes it.
    ///
    /// - Throws: `DownloadError`.
    public func download(
        _ url: URL,
        to destination: Destination,
        settings: DownloadSettings = DownloadSettings()
    ) async throws(DownloadError) -> DownloadedFile {
        try await makeDownload(url, to: destination, settings: settings).run()
    }

    /// Creates a download whose progress can be read.
    ///
    /// Nothing happens until `run()` is called.
    ///
    /// A name and password in the URL become the download's credentials.
    public func makeDownload(
        _ url: URL,
        to destination: Destination,
        settings: DownloadSettings = DownloadSettings()
    ) -> Download {
        Download(url, to: destination, settings: settings, engine: engine)
    }

    /// Creates a download that resumes an ended one, even one of another process.
    ///
    /// ```swift
    /// do {
    ///     _ = try await download.run()
    /// } catch {
    ///     guard let data = error.resumeData else { throw error }
    ///     let again = try downloader.makeDownload(resuming: data)
    ///     _ = try await again.run()
    /// }
    /// ```
    ///
    /// The partial file is trusted as far as it is proven, and joined with the server's bytes only
    /// if they are proven to be of the same file. Otherwise the download starts over or fails,
    /// depending on ``ResumeSettings/fallback``. The request's fields are those of `settings` and,
    /// if missing there, those of the data. A digest in the data still applies.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if no destination is known.
    public func makeDownload(
        resuming data: ResumeData,
        with resume: ResumeSettings = ResumeSettings(),
        settings: DownloadSettings = DownloadSettings()
    ) throws(DownloadError) -> Download {
        guard let target = ResumeTarget(data, resume) else {
            throw .usage(
                "no destination is known for the file",
                advice: "give a destination, or the path of the partial file"
            )
        }
        return Download(
            resume.url ?? data.url,
            to: .file(target.path),
            settings: data.settings(settings),
            engine: engine,
            resume: ResumeRequest(
                data,
                partialPath: resume.partialFile,
                fallback: resume.fallback
            )
        )
    }

    /// Requests the description of a file from the server, without its bytes.
    ///
    /// - Throws: `DownloadError`.
    public func inspect(
        _ url: URL,
        settings: DownloadSettings = DownloadSettings()
    ) async throws(DownloadError) -> SourceDescription {
        let request = try CheckedRequest(url, settings)
        let findings = try await Inspector(
            url: request.url,
            settings: request.settings,
            engine: engine
        ).run()
        return SourceDescription(findings)
    }

    /// Ends the threads.
    ///
    /// Downloads that still run end as if they were cancelled.
    public func shutDown() {
        transport.shutDown()
        engine.shutDown()
    }
}

extension Engine {
    /// Creates the engine of this system, based on libcurl.
    ///
    /// Threads start with the first download.
    static func make(
        over transport: CurlTransport = CurlTransport(),
        _ settings: EngineSettings,
        _ logger: Logger
    ) -> Engine {
        Engine(
            transport: transport,
            time: SystemTimekeeper(),
            settings: settings,
            logger: logger
        )
    }
}

extension EngineSettings {
    /// Creates the settings for this system.
    ///
    /// `network` is the source of network changes; `nil` takes the system's.
    init(ofSystem downloads: DownloaderSettings, network: (any NetworkPathMonitoring)? = nil) {
        self.init(downloads)
        self.network = network ?? SystemNetwork.monitor()
        // The number of processors that this process may use.
        digestThreads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
