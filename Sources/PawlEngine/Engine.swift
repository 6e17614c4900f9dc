package import struct FoundationEssentials.URL
package import Logging
package import PawlCore
package import PawlStorage

/// What all downloads of one process share.
package struct Engine: Sendable {
    package let transport: any Transport
    package let time: any Timekeeper
    /// Threads for calls that block on a disk.
    package let disk: BlockingPool
    /// Threads for what the user says of a file's place, which may wait for anything.
    package let choices: BlockingPool
    /// Threads for syncs, which may take long and must not keep a checkpoint waiting.
    package let syncs: BlockingPool
    /// Threads for digests, as many as there are cores.
    package let digests: BlockingPool
    package let budgets: HostBudgets
    package let queue: DownloadQueue
    package let alarms: AlarmClock
    package let finisher: Finisher
    package let seeds = Seeds()
    package let smallBodies = SmallBodyBudget()
    /// Of all transfers together; it may change at any moment.
    package let limit: RateLimitClock
    package let logger: Logger
    /// What stores take from the system; tests put other things in its place.
    package var storeSettings = StoreSettings()
    /// Those of every download and stream that has no jar of its own; nil keeps none.
    package var cookies: CookieJar? = CookieJar()
    /// Whom downloads that wait for the network ask about it.
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
        finisher = Finisher(pool: syncs)
        alarms = AlarmClock(time: time)
        queue = DownloadQueue(limit: settings.maximumConcurrentDownloads)
        limit = RateLimitClock(limitBytesPerSecond: settings.limitBytesPerSecond)
    }

    /// Ends the threads made for blocking; the transport is its maker's.
    package func shutDown() {
        disk.shutDown()
        choices.shutDown()
        syncs.shutDown()
        digests.shutDown()
        network.shutDown()
    }
}

/// Says where a file is to go, by what the server said of it; it may block.
package typealias DestinationChoice =
    @Sendable (DownloadResponse) throws(DownloadError) -> Destination

/// One download to be done.
package struct DownloadJob: Sendable {
    package var url: URL
    /// Other sources of the same file.
    package var mirrors: [Mirror] = []
    package var destination: Destination
    package var settings: DownloadSettings
    /// Of the random waits.
    package var seed: UInt64
    /// Names the place by the first good answer, in place of `destination`.
    package var choosesDestination: DestinationChoice?
    /// Nil where nobody holds or stops it but by cancelling its task.
    package var control: DownloadControl?
    /// The user's own name for the download.
    package var storageKey: String?
    /// The only file that may be replaced where one may; nil for any.
    package var replaces: FileStamp?
    /// What it is to go on with; nil looks for what is there.
    package var resume: ResumeOrder?
    /// Whether the finished file's place is nobody's business, so that resume data leave it out.
    package var isTemporary = false
    /// The download's own limit, which its holder may change; nil takes that of `settings`.
    package var limit: RateLimitClock?
    /// One that it shares with some other downloads; nil is none.
    package var groupLimit: RateLimitClock?
    /// Nil takes the engine's.
    package var cookies: CookieJar?
    /// Called when the download begins to wait for the network (true), and when it goes on.
    package var connectivityChanged: (@Sendable (_ isWaiting: Bool) -> Void)?
    /// Whose partial files are that were found; nil where no queue keeps account of them.
    package var ownerOfPartialFile: PartialFileQuestion?
    /// Called before the complete file gets its name; nil where nobody keeps account of that.
    package var willFinish: FinishAnnouncement?

    /// Whether a file with the same bytes will do, whoever has made it; each key has a file of its own.
    var acceptsSameFile: Bool { storageKey == nil }

    /// Whether a small file may come in memory: its file is made where many are synced.
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
    /// For its own origin, and no other.
    package var credentials: Credentials?

    package init(url: URL, credentials: Credentials? = nil) {
        self.url = url
        self.credentials = credentials
    }
}
