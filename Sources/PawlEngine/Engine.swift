package import struct FoundationEssentials.URL
package import Logging
package import PawlCore
package import PawlStorage

/// The resources that all downloads of one process share.
package struct Engine: Sendable {
    package let transport: any Transport
    package let time: any Timekeeper
    /// Threads for calls that block on a disk.
    package let disk: BlockingPool
    /// Threads for callbacks of the user that choose a file's path, which may block for any time.
    package let choices: BlockingPool
    /// Threads for syncs, which may take long and must not delay a checkpoint.
    package let syncs: BlockingPool
    /// Threads for digests, one per core.
    package let digests: BlockingPool
    package let budgets: HostBudgets
    package let queue: DownloadQueue
    package let alarms: AlarmClock
    package let finisher: SmallFileFinisher
    package let seeds = Seeds()
    /// The numbers of the partial files in the folders of recent downloads.
    package let numberedPartials = NumberedPartials()
    package let smallBodies = SmallBodyBudget()
    /// The limit for all transfers together.
    ///
    /// It may change at any time.
    package let limit: RateLimitClock
    package let logger: Logger
    /// The system functions that stores use; tests replace them.
    package var storeSettings = StoreSettings()
    /// The cookies of every download and stream without a jar of its own; `nil` keeps no cookies.
    package var cookies: CookieJar? = CookieJar()
    /// The source of network changes for downloads that wait for the network.
    package var network: any NetworkPathMonitoring = AlwaysReachable()

    package init(
        transport: any Transport,
        time: any Timekeeper,
        settings: DownloaderSettings,
        cores: Int,
        logger: Logger
    ) {
        self.transport = transport
        self.time = time
        self.logger = logger
        disk = BlockingPool(threads: 4, name: "pawl-disk")
        choices = BlockingPool(threads: 16, name: "pawl-choice")
        syncs = BlockingPool(threads: 8, name: "pawl-sync")
        digests = BlockingPool(threads: cores, name: "pawl-digest")
        budgets = HostBudgets(connectionsPerHost: settings.connectionsPerHost, time: time)
        finisher = SmallFileFinisher(pool: syncs)
        alarms = AlarmClock(time: time)
        queue = DownloadQueue(limit: settings.maximumConcurrentDownloads)
        limit = RateLimitClock(limitBytesPerSecond: settings.limitBytesPerSecond)
    }

    /// Ends the threads for blocking calls.
    ///
    /// The transport is closed by its creator.
    package func shutDown() {
        disk.shutDown()
        choices.shutDown()
        syncs.shutDown()
        digests.shutDown()
        network.shutDown()
    }

    /// Starts observing the network; `nil` if a download with these settings does not depend on it.
    func observeNetwork(
        for settings: DownloadSettings,
        changed: @escaping @Sendable (NetworkPath) -> Void
    ) -> NetworkObservation? {
        guard settings.waitsForConnectivity || !settings.allowsExpensiveNetwork else { return nil }
        return network.observe(asksWhetherMetered: !settings.allowsExpensiveNetwork, changed)
    }

    /// Returns the state of the network; `nil` if the engine is shutting down.
    func networkPath() async -> NetworkPath? {
        let network = network
        return try? await disk.run { () throws(DownloadError) in network.look() }
    }
}

/// A callback that chooses the destination of a file from the server's response.
///
/// It may block.
package typealias DestinationChoice =
    @Sendable (DownloadResponse) throws(DownloadError) -> Destination

/// A download to be run.
package struct DownloadJob: Sendable {
    package var url: URL
    /// The other sources of the same file.
    package var mirrors: [Mirror] = []
    package var destination: Destination
    package var settings: DownloadSettings
    /// The seed for the random delays.
    package var seed: UInt64
    /// A callback that chooses the destination from the first good response, in place of
    /// `destination`.
    package var choosesDestination: DestinationChoice?
    /// The control with which the download is suspended or stopped; `nil` if only cancelling its
    /// task can stop it.
    package var control: DownloadControl?
    /// The user's own name for the download.
    package var storageKey: String?
    /// The only existing file that the download may replace; `nil` for any.
    package var replaces: FileStamp?
    /// The data to resume from; `nil` looks for files of an earlier run.
    package var resume: ResumeOrder?
    /// Whether the finished file's path is private, so that resume data leave it out.
    package var isTemporary = false
    /// The download's own limit, which its owner may change; `nil` takes the limit of `settings`.
    package var limit: RateLimitClock?
    /// A limit shared with some other downloads; `nil` for no limit.
    package var groupLimit: RateLimitClock?
    /// The download's cookies; `nil` takes the engine's.
    package var cookies: CookieJar?
    /// Called with `true` when the download begins to wait for the network, and with `false` when
    /// it resumes.
    package var connectivityChanged: (@Sendable (_ isWaiting: Bool) -> Void)?
    /// Returns the owner of a partial file that was found; `nil` if no queue keeps track of owners.
    package var ownerOfPartialFile: PartialFileQuestion?
    /// Called before the complete file gets its name; `nil` if nobody records that.
    package var willFinish: FinishAnnouncement?

    /// The URLs of the download and its mirrors.
    var urls: [URL] { [url] + mirrors.map(\.url) }

    /// Whether an existing file with the same bytes is accepted, whoever created it.
    ///
    /// With a key, each download has its own file.
    var acceptsSameFile: Bool { storageKey == nil }

    /// Whether a small file may be received in memory.
    ///
    /// Such files are created together with others, so that they share syncs.
    var takesSmallBodies: Bool { !settings.checksum.isGiven && choosesDestination == nil }

    package init(
        url: URL,
        mirrors: [Mirror] = [],
        destination: Destination,
        settings: DownloadSettings,
        seed: UInt64
    ) {
        self.url = url
        self.mirrors = mirrors
        self.destination = destination
        self.settings = settings
        self.seed = seed
    }
}

/// Another source of a download.
package struct Mirror: Sendable {
    package var url: URL
    /// The credentials for this mirror's own origin, and no other.
    package var credentials: Credentials?

    package init(url: URL, credentials: Credentials? = nil) {
        self.url = url
        self.credentials = credentials
    }
}
