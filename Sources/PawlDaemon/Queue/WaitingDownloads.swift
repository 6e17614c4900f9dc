package import struct FoundationEssentials.Date
package import PawlCore
internal import PawlWire

/// Decides which of the queue's downloads start now; the groups are sessions.
package typealias QueueScheduler = StartScheduler

extension QueueScheduler.Entry {
    init(_ download: WireDownload) {
        self.init(
            id: download.id,
            priority: download.priority.priority,
            position: download.position,
            notBefore: download.notBefore
        )
        group = download.session.map { ExactText($0) }
    }
}

/// The downloads that wait for their start: for their turn, for the removal of their files, or for
/// the end of a run with the same target.
package final class WaitingDownloads {
    private var scheduler: QueueScheduler
    /// The number of jobs that remove or move files of each download: a run that started now would
    /// lose its files.
    private var holds: [Int64: Int] = [:]
    private var heldByRemoval: [Int64: QueueScheduler.Entry] = [:]
    private var targets = RunningTargets()
    private let taken: TakenDownloads

    package convenience init(limit: Int) {
        self.init(limit: limit, TakenDownloads(isShared: false))
    }

    /// `taken`: the downloads of this node; others do not wait here.
    init(limit: Int, _ taken: TakenDownloads) {
        scheduler = QueueScheduler(limit: limit)
        self.taken = taken
    }

    /// The maximum number of downloads that run at the same time.
    var limit: Int {
        get { scheduler.limit }
        set { scheduler.limit = newValue }
    }

    /// The number of downloads that could start besides those that run.
    var freeSlots: Int { max(0, scheduler.limit - scheduler.slotsTaken) }

    /// Whether a download waits or runs here.
    func contains(_ id: Int64) -> Bool {
        scheduler.contains(id) || heldByRemoval[id] != nil || targets.isWaiting(id)
    }

    /// Whether a download runs.
    var hasRunning: Bool { !scheduler.running.isEmpty }

    /// When a download may start by the wall clock; `nil` if none waits for a date.
    var nextDate: Date? { scheduler.nextDate }

    /// When a download may start by the monotonic clock; `nil` if none waits for it.
    var nextMoment: Moment? { scheduler.nextMoment }

    func setLimits(ofSessions limits: [ExactText: Int]) { scheduler.groupLimits = limits }

    // MARK: - Waiting

    /// Queues a download, as soon as none of its files is being removed.
    package func wait(_ entry: QueueScheduler.Entry) {
        targets.leave(entry.id)
        guard taken.has(entry.id) else { return }
        if holds[entry.id] != nil {
            heldByRemoval[entry.id] = entry
        } else {
            scheduler.wait(entry)
        }
    }

    /// Queues a download none of whose files is being removed.
    func add(_ entry: QueueScheduler.Entry) {
        if taken.has(entry.id) { scheduler.wait(entry) }
    }

    func leave(_ id: Int64) {
        heldByRemoval[id] = nil
        targets.leave(id)
        scheduler.leave(id)
    }

    /// Starts a download at once that waits to be tried again.
    func startNow(_ id: Int64) { scheduler.startNow(id) }

    /// Holds downloads back while their files are removed or moved, once for each job.
    package func hold(_ ids: some Sequence<Int64>) { for id in ids { holds[id, default: 0] += 1 } }

    /// Ends the hold of one job; returns whether a download was held back until now.
    package func release(_ id: Int64) -> Bool {
        let others = (holds[id] ?? 0) - 1
        holds[id] = others > 0 ? others : nil
        guard others <= 0 else { return false }
        guard let entry = heldByRemoval.removeValue(forKey: id), taken.has(id) else {
            return false
        }
        scheduler.wait(entry)
        return true
    }

    // MARK: - Running

    /// The schedule that applies once the store has recorded it.
    package struct Plan {
        fileprivate var scheduler: QueueScheduler
        package private(set) var starting: [Int64] = []

        fileprivate init(_ scheduler: QueueScheduler) { self.scheduler = scheduler }

        /// Starts all that may start now.
        package mutating func start(at date: Date, moment: Moment) {
            starting = scheduler.begin(at: date, moment: moment)
        }
    }

    /// Returns a plan in which these runs have ended.
    package func plan(ended: some Sequence<Int64>) -> Plan {
        var plan = Plan(scheduler)
        for id in ended { plan.scheduler.ended(id) }
        return plan
    }

    /// Adopts a plan that the store has recorded.
    func adopt(_ plan: Plan) { scheduler = plan.scheduler }

    /// Ends a run that was planned and did not start.
    func ended(_ id: Int64) { scheduler.ended(id) }

    // MARK: - Targets

    /// Returns a run with the same target; `nil` if there is none.
    func run(
        with target: RunningTargets.Target,
        besides id: Int64,
        ended: Set<Int64>
    ) -> Int64? {
        targets.run(with: target, besides: id, ended: ended)
    }

    func began(_ id: Int64, at target: RunningTargets.Target) { targets.begin(id, at: target) }

    /// Queues a download after the end of a run; at once if the run has ended.
    func wait(_ waiter: RunningTargets.Waiter) {
        if !targets.wait(waiter) { wait(waiter.entry) }
    }

    /// Queues the downloads that waited for these runs; returns whether there were any.
    func releaseTargets(ofRuns ids: [Int64]) -> Bool { queue(targets.end(ids)) }

    /// Notes the path of a run's file, and queues the downloads that waited because it was unknown;
    /// returns whether there were any.
    func learn(_ path: String, ofRun id: Int64) -> Bool { queue(targets.learn(path, ofRun: id)) }

    private func queue(_ free: [QueueScheduler.Entry]) -> Bool {
        for entry in free { wait(entry) }
        return !free.isEmpty
    }
}
