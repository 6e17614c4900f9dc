package import Logging
package import PawlCore
package import PawlStorage

/// The resources that all downloads of one process share.
package final class Engine: Sendable {
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
    /// The pools that end with this engine.
    private let ownPools: [BlockingPool]
    package let budgets: HostBudgets
    package let alarms: AlarmClock
    package let finisher: SmallFileFinisher
    /// Receives small files without a driver.
    let lane: SmallFileLane
    package let seeds = Seeds()
    /// The numbers of the partial files in the folders of recent downloads.
    package let numberedPartials = NumberedPartials()
    /// The names that files in the folders of recent downloads have.
    package let takenNames = TakenNames()
    /// The files that downloads with the policy `overwrite` have become.
    let replacedFiles = ReplacedFiles()
    package let smallBodies = SmallBodyBudget()
    /// The limit for all transfers together.
    ///
    /// It may change at any time.
    package let limit: RateLimitClock
    package let logger: Logger
    /// The system functions that stores use; tests replace them.
    package let storeSettings: StoreSettings
    /// The cookies of every download and stream without a jar of its own; `nil` keeps no cookies.
    private let cookies: CookieJar?
    private let namedCookies: @Sendable (ConnectionSettings) -> CookieJar?
    private let namedSecureHosts: @Sendable (ConnectionSettings) -> SecureHosts?
    private let namedAlternatives: @Sendable (ConnectionSettings) -> AlternativeServices?
    /// The source of network changes for downloads that wait for the network.
    package let network: any NetworkPathMonitoring
    /// The memory of what downloads learn of hosts; `nil` keeps nothing.
    let hosts: (any HostRemembering)?
    /// Reads the Metalink that a server names for its file.
    let readMetalink: @Sendable ([UInt8], String, String) throws(DownloadError) -> FileDescription

    package init(
        transport: any Transport,
        time: any Timekeeper,
        settings: EngineSettings = EngineSettings(),
        logger: Logger
    ) {
        self.time = time
        self.logger = logger
        storeSettings = settings.store
        cookies = settings.cookies
        namedCookies = settings.namedCookies
        namedSecureHosts = settings.namedSecureHosts
        namedAlternatives = settings.namedAlternatives
        network = settings.network
        hosts = settings.hosts
        readMetalink = settings.readMetalink
        // A user's callback may wait for another session, so these threads are never shared.
        choices = BlockingPool(threads: 16, name: "pawl-choice")
        let pools = settings.pools ?? EnginePools(digestThreads: settings.digestThreads)
        (disk, syncs, digests) = (pools.disk, pools.syncs, pools.digests)
        ownPools = [choices] + (settings.pools == nil ? [disk, syncs, digests, pools.sources] : [])
        budgets = HostBudgets(connectionsPerHost: settings.connectionsPerHost, time: time)
        finisher = SmallFileFinisher(pool: syncs)
        alarms = AlarmClock(time: time)
        self.transport = LocalTransport(
            over: SecuringTransport(
                AlternativeTransport(transport, pool: disk, time: time),
                pool: disk
            ),
            LocalTransfer.Surroundings(pool: pools.sources, alarms: alarms, time: time)
        )
        lane = SmallFileLane(disk, alarms, time)
        limit = RateLimitClock(limitBytesPerSecond: settings.limitBytesPerSecond)
    }

    /// Ends the engine's own threads for blocking calls.
    ///
    /// The transport is closed by its creator.
    package func shutDown() {
        for pool in ownPools { pool.shutDown() }
        network.shutDown()
    }

    /// Returns the cookies of requests with these settings; `nil` keeps none.
    ///
    /// `own`: those of the download, unless the settings name a file or a browser.
    func cookies(
        for settings: ConnectionSettings,
        own: CookieJar? = nil
    ) -> CookieJar? {
        namedCookies(settings) ?? own ?? cookies
    }

    /// Returns the hosts that demand HTTPS, for requests with these settings; `nil` if none are kept.
    func secureHosts(for settings: ConnectionSettings) -> SecureHosts? {
        namedSecureHosts(settings)
    }

    /// Returns the known alternative services, for requests with these settings; `nil` if none are
    /// kept.
    func alternatives(for settings: ConnectionSettings) -> AlternativeServices? {
        namedAlternatives(settings)
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
        return try? await disk.run { () throws(DownloadError) in network.current() }
    }
}

/// A callback that chooses the destination of a file from the server's response.
///
/// It may block.
package typealias DestinationChoice =
    @Sendable (DownloadResponse) throws(DownloadError) -> Destination
