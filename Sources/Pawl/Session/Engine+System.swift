internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlTransport

extension Engine {
    /// Creates the engine of this system, based on libcurl.
    ///
    /// Threads start with the first download.
    static func make(_ settings: EngineSettings, _ logger: Logger) -> Engine {
        Engine(
            transport: CurlTransport(),
            time: SystemTimekeeper(),
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
        self.network = network ?? SystemNetwork.monitor()
        // The number of processors that this process may use.
        digestThreads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
