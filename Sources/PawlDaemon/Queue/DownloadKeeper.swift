internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Keeps the queue: what the store says, the scheduler follows, and the tasks after it.
///
/// Everything that changes a state goes through here, one after the other, and is in the store
/// before anybody hears of it. It runs on a thread of its own, as each change waits for the disk.
actor DownloadKeeper {
    let store: DaemonStore
    let session: DownloadSession
    let live: LiveDownloads
    let news: EventNews
    let logger: Logger
    let bell = Bell()
    let policy = OutagePolicy()
    let folders: FolderRecord
    let listener: NetworkListener
    let counters = DaemonCounters()
    /// What holds for all downloads, as it is kept.
    var settings: DaemonSettings
    var isLimitApplied = false
    /// When the timetable is to be looked at again; nil where there is none.
    var nextLimitLook: Date?
    /// How many run at a time, for those who look.
    let atATime = Atomic<Int>(DaemonSettings().maximumConcurrentDownloads)
    var scheduler: QueueScheduler
    /// What sessions say of all their downloads together.
    var sessionLimits: [String: StoreTransaction.SessionLimits] = [:]
    /// Runs that have ended and are not in the store yet.
    var ends: [RunEnd] = []
    /// Downloads that could not start, before the store records that.
    var unstarted: [Unstarted] = []
    /// Complete files that wait for their names, until the store says that they get them.
    var announcements: [Announcement] = []
    /// Those that are getting their names, by the download.
    var finishing: [Int64: WrittenFile] = [:]
    /// Downloads whose file is to be called otherwise.
    var newNames: Set<Int64> = []
    /// Finished files that are called otherwise already, which is not in the store yet.
    var renamed: [Int64: String] = [:]
    /// What is to be thrown away from the disk.
    var discards: [Discard] = []
    /// Intentions that are carried out, which is not in the store yet.
    var fulfilled: [Int64] = []
    /// When those that failed are tried again, by a clock that nobody sets.
    var retryTimes: [Int64: Moment] = [:]
    /// Those that failed as the network may have been gone.
    var outageWaiters: Set<Int64> = []
    /// The last time any server sent something.
    var networkSeen: ContinuousClock.Instant?
    /// The retry settings of running downloads.
    var patience: [Int64: Patience] = [:]
    /// Those of which something is being thrown away, and what is to be in line once that is done: a run
    /// that began before would lose its files to it.
    var discarding: Set<Int64> = []
    var heldBack: [Int64: QueueScheduler.Entry] = [:]
    var runningPlaces = RunningPlaces()
    var nextPosition: Int64 = 1
    var firstPosition: Int64 = 0
    var isWindingUp = false
    /// The last step could not be written.
    var isBehind = false
    var prunedAt: Int64 = 0
    /// Runs that were ended to begin anew.
    var restarts: Set<Int64> = []
    /// What goes of those that were removed with their files while they ran: they may finish all the same.
    var removedWithFiles: [Int64: Discard] = [:]
    /// What is written down to go of those that were cancelled while they ran: the end of the run sees to it.
    var cancelled: [Int64: [Int64]] = [:]
    /// What of running downloads is in the store.
    var notedNames: [Int64: NotedName] = [:]
    /// What had come from servers when that was looked at last.
    var receivedBefore: Int64 = 0
    /// When the queue could be written the last time, as somebody asked.
    var healthSeen: ContinuousClock.Instant?
    private let origin = ContinuousClock.now
    private let thread = StoreThread()

    /// Rings when downloads have ended.
    let endings = Bell()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// How a run of a task ended.
    struct RunEnd: Sendable {
        var id: Int64
        var task: DownloadTask
        var result: Result<DownloadedFile, DownloadError>
    }

    struct Unstarted: Sendable {
        var id: Int64
        var error: DownloadError
    }

    /// Where a running download's bytes go.
    struct NotedName: Hashable {
        var path: String
        var partial: String?
        var inode: UInt64?
    }

    /// The time on a monotonic clock.
    var moment: Moment { .zero + (ContinuousClock.now - origin) }

    /// What is there when it begins.
    struct Beginning {
        var store: DaemonStore
        var settings = DaemonSettings()
        var folders: FolderRecord
        /// The sign of the queue's partial files.
        var keeper: String?
        var listener: NetworkListener
        /// How many run at a time, where that was said for this daemon alone.
        var limit: Int?
        var lastEvent: Int64 = 0
    }

    init(_ beginning: Beginning, logger: Logger) {
        (store, folders) = (beginning.store, beginning.folders)
        listener = beginning.listener
        let settings = beginning.settings
        self.settings = settings
        self.logger = logger
        live = LiveDownloads()
        news = EventNews(last: beginning.lastEvent)
        scheduler = QueueScheduler(limit: beginning.limit ?? settings.maximumConcurrentDownloads)
        atATime.store(scheduler.limit, ordering: .relaxed)
        var configuration = SessionConfiguration.default
        // The scheduler says how many run.
        configuration.maximumConcurrentDownloads = 10_000
        configuration.connectionsPerHost = settings.connectionsPerHost
        configuration.keeper = beginning.keeper
        session = DownloadSession(configuration, logger: logger)
    }

    /// Puts in line what an earlier daemon left: what ran goes on first.
    func load() throws(DownloadError) {
        try settleIntentions()
        let (rows, suspects, limits) = try store.writeInAnyCase { transaction in
            newNames = try transaction.newNames()
            let rows = try transaction.unfinished().map { row in
                var row = row
                let isLate = try loadRetry(of: &row, transaction)
                guard row.state.isActive || isLate else { return row }
                var saved = row
                saved.state = row.state.isActive ? .waiting : row.state
                try transaction.save(saved)
                return row
            }
            return (
                rows, try transaction.suspects(starts: Self.suspectStarts),
                try transaction.sessionLimits()
            )
        }
        follow(limits)
        for row in rows where row.state != .paused && row.state != .suspended {
            var entry = entry(of: row)
            entry.wasRunning = row.state.isActive
            entry.isSuspect = suspects.contains(row.id)
            wait(entry)
        }
        nextPosition = (rows.map(\.position).max() ?? 0) + 1
        firstPosition = min(0, rows.map(\.position).min() ?? 0)
        prunedAt = news.last
    }

    /// So many starts without an end or a step forward make a suspect.
    private static let suspectStarts = 3

    // MARK: - Running

    /// Runs what is in line until the task is cancelled, then winds up: what ran keeps what came.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch() }
            await withTaskCancellationHandler {
                while true {
                    if Task.isCancelled { windUp() }
                    keepTimetable(at: Date())
                    for task in step() {
                        group.addTask { await self.carry(task.row.id, task.task) }
                    }
                    let due = discards
                    discards = []
                    hold(due)
                    for discard in due { removedWithFiles[discard.download] = nil }
                    if !due.isEmpty { group.addTask { _ = await self.carryOut(due) } }
                    if isWindingUp, scheduler.running.isEmpty { break }
                    if isWindingUp {
                        await bell.waitInAnyCase()
                    } else {
                        await bell.wait(atMost: timeToWait)
                    }
                }
            } onCancel: {
                bell.ring()
            }
            group.cancelAll()
        }
    }

    private var timeToWait: Duration? {
        // What could not be written is tried again soon.
        if isBehind { return .seconds(1) }
        let dates = [scheduler.nextDate, nextLimitLook].compactMap { $0 }
        let waits = [
            dates.min().map { Duration.seconds(max(0, min($0.timeIntervalSinceNow, 3600))) },
            scheduler.nextMoment.map { max(.zero, $0 - moment) },
        ]
        return waits.compactMap { $0 }.min()
    }

    private func windUp() {
        guard !isWindingUp else { return }
        isWindingUp = true
        stopAnnouncing()
        for task in live.all.values { task.end(keeping: true) }
    }

    private func carry(_ id: Int64, _ task: DownloadTask) async {
        task.resume()
        await task.waitForEndInAnyCase()
        let result: Result<DownloadedFile, DownloadError>
        do throws(DownloadError) {
            let file = try await task.file
            result = .success(file)
            if !file.wasAlreadyThere { sawNetwork() }
        } catch {
            result = .failure(error)
            if !policy.mayBeNetwork(error) && error.httpStatus != nil { sawNetwork() }
        }
        ends.append(RunEnd(id: id, task: task, result: result))
        bell.ring()
    }

    /// Tells how far the downloads are, and notes what they are called, while any runs.
    private func watch() async {
        while !Task.isCancelled {
            guard !live.isEmpty else {
                await watching.wait()
                continue
            }
            // Cancelled is what the loop looks at.
            try? await Task.sleep(for: Self.watchInterval)
            noteNames()
            noteNetwork()
            let audiences = news.audiences
            if !audiences.isEmpty { news.published(live.progress(for: audiences)) }
        }
    }

    let watching = Bell()
    private static let watchInterval: Duration = .milliseconds(250)
}

/// Decides which of the queue's downloads start now; the groups are sessions.
typealias QueueScheduler = StartScheduler<Int64>

extension QueueScheduler.Entry {
    init(_ download: WireDownload) {
        self.init(
            id: download.id,
            priority: download.priority.priority,
            position: download.position,
            notBefore: download.notBefore
        )
        group = download.session
    }
}

extension TaskState {
    /// Running, with or without a network.
    var isActive: Bool { self == .running || self == .waitingForConnectivity }
}
