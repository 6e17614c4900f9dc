internal import Logging
internal import Pawl
internal import PawlWire

/// The initial values of a queue.
struct InitialQueue {
    var store: any QueueStore
    var settings = DaemonSettings()
    /// The folders of downloads; `nil` if the store cannot be rebuilt from files.
    var folders: FolderRecord?
    /// The identity of the queue in the checkpoints of its partial files.
    var identity: String?
    var listener: NetworkListener
    var aria2Listener: NetworkListener
    /// The maximum number of downloads that run at the same time; `nil` uses the setting.
    var limit: Int?
    var lastEvent: Int64 = 0

    /// Returns a session that runs the downloads of the queue.
    func session(_ logger: Logger) -> DownloadSession {
        var configuration = SessionConfiguration.default
        // The scheduler limits how many run.
        configuration.maximumConcurrentDownloads = 10_000
        configuration.connectionsPerHost = settings.connectionsPerHost
        configuration.queueIdentity = identity
        return DownloadSession(configuration, logger: logger)
    }
}
