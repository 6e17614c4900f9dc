internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlTransport

extension Engine {
    /// Creates the engine of this system, based on libcurl unless there is a replacement.
    ///
    /// Threads start with the first download, and serve all engines of the process.
    static func make(
        _ settings: EngineSettings,
        _ logger: Logger,
        _ replacement: NetworkReplacement?
    ) -> Engine {
        Engine(
            transport: replacement?.transport
                ?? S3Transport(over: CurlTransport.sharingThreads()),
            time: replacement?.time ?? SystemTimekeeper(),
            settings: settings,
            logger: logger
        )
    }
}

extension EngineSettings {
    /// Creates settings for this system.
    ///
    /// `network` is the source of network changes; `nil` takes the system's.
    init(ofSystem network: (any NetworkPathMonitoring)?) {
        self.init()
        self.network = network ?? Self.ownNetwork
        pools = Self.ownPools
        hosts = HostMemoryFile.shared
        readMetalink = Metalink.description
    }

    /// The process's monitor of the network, which has one thread for all sessions.
    private static let ownNetwork = SystemNetwork.monitor()
    /// The process's threads for blocking calls.
    ///
    /// There is one thread for digests per processor that this process may use.
    private static let ownPools = EnginePools(
        digestThreads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    )
}
