/// The settings for all downloads of one `Downloader`.
public struct DownloaderSettings: Sendable {
    /// The maximum number of downloads that run at the same time; the others wait in order.
    ///
    /// The default is 5.
    public var maximumConcurrentDownloads = 5
    /// The maximum speed of all downloads together, in bytes per second; `nil`, the default, means
    /// no limit.
    public var limitBytesPerSecond: Int64?
    /// The maximum number of connections per host, across all downloads.
    ///
    /// The default is 16. Downloads that share a connection over HTTP/2 do not count.
    public var connectionsPerHost = 16

    /// Creates the default settings.
    public init() {}
}
