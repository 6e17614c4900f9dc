package import PawlCore
package import PawlStorage

/// The settings and the parts of the system that one engine uses.
package struct EngineSettings: Sendable {
    /// The maximum speed of all transfers together in bytes per second; `nil` means no limit.
    package var limitBytesPerSecond: Int64?
    /// The maximum number of connections per host.
    ///
    /// Transfers that share a connection over HTTP/2 do not count.
    package var connectionsPerHost = 16
    /// The system functions that stores use; tests replace them.
    package var store = StoreSettings()
    /// The cookies of every download and stream without a jar of its own; `nil` keeps no cookies.
    package var cookies: CookieJar? = CookieJar()
    /// Returns the cookies of the file or browser that the settings of a download name; `nil` if they
    /// name none.
    package var namedCookies: @Sendable (ConnectionSettings) -> CookieJar? = { _ in nil }
    /// Returns the hosts that demand HTTPS in the file that the settings of a download name; `nil` if
    /// they name none.
    package var namedSecureHosts: @Sendable (ConnectionSettings) -> SecureHosts? = { _ in nil }
    /// Returns the alternative services in the file that the settings of a download name; `nil` if
    /// they name none.
    package var namedAlternatives: @Sendable (ConnectionSettings) -> AlternativeServices? = { _ in
        nil
    }
    /// The source of network changes for downloads that wait for the network.
    package var network: any NetworkPathMonitoring = AlwaysReachable()
    /// The memory of what downloads learn of hosts; `nil` keeps nothing.
    package var hosts: (any HostRemembering)?
    /// Reads the Metalink that a server names for its file.
    ///
    /// It takes the document, its name for errors, and the name of the file.
    package var readMetalink:
        @Sendable ([UInt8], String, String) throws(DownloadError) -> FileDescription = {
            (_, name, _) throws(DownloadError) in
            throw DownloadError(.badResponse, "\(name) cannot be read")
        }
    /// The threads for blocking calls, which several engines may share; `nil` takes own ones.
    package var pools: EnginePools?
    /// The number of own threads that compute digests.
    package var digestThreads = 1

    /// Creates settings for a system whose network is always available.
    package init() {}
}
