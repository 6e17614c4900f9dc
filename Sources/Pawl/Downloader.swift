public import struct FoundationEssentials.URL
public import Logging
@_exported public import PawlCore
internal import PawlEngine
internal import PawlTransport

/// Downloads files: over as many connections as pay, resumable, verified.
///
/// All downloads of one downloader share its limits: how many run at a time, how many connections a
/// host gets, how many bytes a second come in.
///
/// ```swift
/// let downloader = Downloader()
/// let file = try await downloader.download(url, to: .directory(folder))
/// print(file.path, file.byteCount)
/// ```
public final class Downloader: Sendable {
    let engine: Engine
    private let transport: CurlTransport

    /// Makes a downloader.
    ///
    /// Threads start when the first download does.
    public init(
        settings: DownloaderSettings = DownloaderSettings(),
        logger: Logger = Logger(label: "pawl")
    ) {
        transport = CurlTransport()
        engine = .make(over: transport, settings, logger)
    }

    /// Fetches a file, which is complete and verified under its name when this returns.
    ///
    /// Where an earlier run left a part of it, the rest is fetched. Cancelling the task ends the
    /// download and keeps what came; calling again goes on.
    ///
    /// - Throws: `DownloadError`.
    public func download(
        _ url: URL,
        to destination: Destination,
        settings: DownloadSettings = DownloadSettings()
    ) async throws(DownloadError) -> DownloadedFile {
        try await makeDownload(url, to: destination, settings: settings).run()
    }

    /// A download to be run, whose progress can be read.
    ///
    /// Nothing happens before `run()`.
    ///
    /// A name and password in the URL are taken as the download's credentials.
    public func makeDownload(
        _ url: URL,
        to destination: Destination,
        settings: DownloadSettings = DownloadSettings()
    ) -> Download {
        Download(url, to: destination, settings: settings, engine: engine)
    }

    /// Asks what the server says of a file, and fetches none of it.
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
    /// Downloads that still run end as if they had been cancelled.
    public func shutDown() {
        transport.shutDown()
        engine.shutDown()
    }
}
