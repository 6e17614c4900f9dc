internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The parts of the queue that several others use, on the thread of the queue only.
struct QueueParts {
    let environment: QueueEnvironment
    /// The downloads that this node has taken from a queue that it shares.
    let taken: TakenDownloads
    let waiting: WaitingDownloads
    let positions = QueuePositions()
    let announcements: FinishAnnouncements
    let control: RunControl
    let retries: RetrySchedule
    let renames: PendingRenames
    let removals: PendingRemovals
    let settings: QueueSettings
    let sessions: QueueSessions
    let labels: QueueLabels
    let moves: PendingMoves
    let hooks: HookRecorder
    /// The GIDs of the downloads for clients of aria2.
    let gids: Aria2GIDs
    /// The uploads that no download continues.
    let uploads: LeftoverUploads
    /// The identity of the queue; `nil` if it has none.
    let identity: String?

    init(_ environment: QueueEnvironment, _ initial: InitialQueue) {
        self.environment = environment
        taken = TakenDownloads(isShared: environment.store.fleet != nil)
        waiting = WaitingDownloads(
            limit: initial.limit ?? initial.settings.maximumConcurrentDownloads,
            taken
        )
        announcements = FinishAnnouncements(environment)
        control = RunControl(environment, announcements)
        retries = RetrySchedule(environment, waiting)
        renames = PendingRenames(environment)
        removals = PendingRemovals(environment)
        settings = QueueSettings(initial, environment, waiting, control)
        sessions = QueueSessions(environment, waiting)
        labels = QueueLabels(environment)
        moves = PendingMoves(environment, settings, taken)
        hooks = HookRecorder(environment, settings)
        gids = Aria2GIDs(identity: initial.identity)
        uploads = LeftoverUploads(environment)
        identity = initial.identity
    }

    /// What new downloads are completed and admitted with now.
    var additionRules: AdditionRules {
        AdditionRules(labels: labels.defaults, network: settings.networkRules)
    }

    /// Queues removals of files, whose downloads do not start until the files are removed.
    func queue(_ jobs: [RemovalJob]) {
        waiting.hold(jobs.map(\.download))
        removals.queue(jobs)
    }

    /// Returns the rate limits of the groups that a download belongs to.
    func groupLimits(of row: WireDownload) -> [LimitGroup: Int64] {
        var limits: [LimitGroup: Int64] = [:]
        for group in row.limitGroups {
            switch group {
            case .session(let name):
                limits[group] = sessions.limitBytesPerSecond(of: name.text)
            case .label(let name): limits[group] = labels[name]?.limitBytesPerSecond
            }
        }
        return limits
    }
}
