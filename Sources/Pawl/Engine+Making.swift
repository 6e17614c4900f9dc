internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlTransport

extension Engine {
    /// Creates the engine of this system, based on libcurl.
    ///
    /// Threads start with the first download.
    static func make(
        over transport: CurlTransport = CurlTransport(),
        _ settings: DownloaderSettings,
        _ logger: Logger,
        network: (any NetworkPathMonitoring)? = nil
    ) -> Engine {
        var engine = Engine(
            transport: transport,
            time: SystemTimekeeper(),
            settings: settings,
            cores: ProcessorCount.available,
            logger: logger
        )
        engine.network = network ?? SystemNetwork.monitor()
        return engine
    }
}
