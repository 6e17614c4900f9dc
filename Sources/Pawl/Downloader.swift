public import struct FoundationEssentials.URL
public import Logging
@_exported public import PawlCore
internal import PawlEngine
internal import PawlTransport

/// Downloads files over several connections, resumable and verified.
///
/// It adds connections only while the total speed increases. All downloads of one downloader share its
/// limits: the number of simultaneous downloads, the number of connections per host, and the bytes
/// per second.
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
        engine = .make(over: transport, settings, logger)
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
