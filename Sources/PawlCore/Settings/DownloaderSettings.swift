/// What holds across all downloads of one `Downloader`.
public struct DownloaderSettings: Sendable {
    /// How many downloads run at a time; the others wait in order.
    ///
    /// 5 by default.
    public var maximumConcurrentDownloads = 5
    /// The most that all downloads together may bring, in bytes a second; nil, the default, is no
    /// limit.
    public var limitBytesPerSecond: Int64?
    /// How many connections a host gets, across all downloads.
    ///
    /// 16 by default. Downloads that share a connection over HTTP/2 take none.
    public var connectionsPerHost = 16

    /// Makes the defaults.
    public init() {}
}
