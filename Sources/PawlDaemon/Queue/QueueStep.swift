internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// One step of the queue: records the runs that have ended, and starts the next ones.
final class QueueStep {
    private let parts: QueueParts
    private let starter: RunStarter
    private let endRecorder: RunEndRecorder
    /// The runs that have ended, which the store has not recorded yet.
    private var ends: [EndedRun] = []
    /// The runs that could not start, which the store has not recorded yet.
    private var unstarted: [EndedRun.Unstarted] = []
    /// Whether the last step could not be written.
    ///
    /// Visible to the queue, which then tries again.
    private(set) var isBehind = false

    init(_ parts: QueueParts) {
        self.parts = parts
        (starter, endRecorder) = (RunStarter(parts: parts), RunEndRecorder(parts: parts))
    }

    /// Adds a run that has ended, which the next step records.
    func add(_ end: EndedRun) { ends.append(end) }

    /// What one transaction records.
    private struct Work {
        var ends: [EndedRun]
        var unstarted: [EndedRun.Unstarted]
        var announcements: [FinishAnnouncements.Announcement]
        var plan: WaitingDownloads.Plan
        /// The results of renamings, by download.
        var names: [Int64: NewName] = [:]
        /// The corrupt files that runs have kept, by download.
        var corrupt: [Int64: WrittenFile] = [:]
        /// The removals that were carried out.
        var removals: [Int64]

        /// The downloads that the transaction records something of.
        var downloads: Set<Int64> {
            Set(ends.map(\.id) + unstarted.map(\.id) + announcements.map(\.id) + plan.starting)
        }

        /// The downloads whose runs have ended.
        var ended: [Int64] { ends.map(\.id) + unstarted.map(\.id) }

        var isEmpty: Bool {
            ends.isEmpty && plan.starting.isEmpty && unstarted.isEmpty && announcements.isEmpty
        }
    }

    /// What follows from a transaction once it is committed.
    private struct Outcome {
        var starts = RunStarter.Starts()
        var ends = RunEndRecorder.Outcome()
        /// The downloads that belong to other nodes by now, of which nothing was recorded.
        var stale: Set<Int64> = []
    }

    /// Writes all ends, and all starts that follow from them, in one transaction; returns the runs
    /// that have started.
    ///
    /// No file is changed within the transaction.
    func run() -> [StartedRun] {
        var plan = parts.waiting.plan(ended: ends.map(\.id) + unstarted.map(\.id))
        var lack: DownloadError?
        // Without a lease, the downloads may belong to others.
        let mayStart = parts.environment.store.fleet?.clock.isValid ?? true
        if !parts.control.isShuttingDown, mayStart {
            var starts = plan
            starts.start(at: Date(), moment: parts.environment.moment)
            lack = starts.starting.isEmpty ? nil : lackOfRoom()
            // Without free space in the store nothing starts, but the ends are written.
            if lack == nil { plan = starts }
        }
        var work = Work(
            ends: ends,
            unstarted: unstarted,
            announcements: parts.announcements.waiting,
            plan: plan,
            removals: parts.removals.unrecorded
        )
        if let lack { noteBehind(lack) }
        guard !work.isEmpty else { return [] }
        do throws(DownloadError) {
            // An earlier transaction has recorded each of these names.
            work.names = try parts.renames.carryOut(
                ofEnded: work.ends,
                andStarting: plan.starting
            )
            work.corrupt = endRecorder.findCorrupt(of: work.ends)
            let outcome = try parts.environment.store.write(for: .endsSomething) {
                [work] transaction in
                try record(work, transaction)
            }
            isBehind = lack != nil
            parts.environment.store.restoreReserve()
            return apply(outcome, work)
        } catch {
            // Nothing starts, and the next step records the ends.
            if parts.control.isShuttingDown { parts.announcements.stopAll(error) }
            noteBehind(error)
            return []
        }
    }

    /// The reason why nothing can start; `nil` if there is enough space for the store.
    private func lackOfRoom() -> DownloadError? {
        do throws(DownloadError) {
            try parts.environment.store.checkRoom()
            return nil
        } catch {
            return error
        }
    }

    /// Logs the first of several failures: the log may be on the disk that is full.
    private func noteBehind(_ error: DownloadError) {
        if !isBehind { parts.environment.logger.error("the queue cannot be written: \(error)") }
        isBehind = true
    }

    // MARK: - In the store

    private func record(_ work: Work, _ transaction: StoreTransaction) throws -> Outcome {
        var outcome = Outcome()
        let stale = try parts.taken.stale(of: work.downloads, transaction)
        outcome.stale = stale
        try transaction.intentions.delete(work.removals)
        for item in work.announcements where !stale.contains(item.id) {
            try record(item, transaction)
        }
        for end in work.ends where !stale.contains(end.id) {
            let (name, corrupt) = (work.names[end.id], work.corrupt[end.id])
            try endRecorder.record(end, name, corrupt, transaction, &outcome.ends)
        }
        for run in work.unstarted where !stale.contains(run.id) {
            try endRecorder.record(run, transaction, &outcome.ends)
        }
        let ended = Set(work.ends.map(\.id))
        let retried = Set(outcome.ends.retries.map(\.id))
        // A run of the same download may have just ended, and the next one has to wait.
        for id in work.plan.starting where !retried.contains(id) && !stale.contains(id) {
            let name = work.names[id]
            try starter.record(id, name, ended: ended, transaction, &outcome.starts)
        }
        let own = work.ended.filter { !stale.contains($0) && !work.plan.starting.contains($0) }
        try transaction.ownership.giveBack(own)
        return outcome
    }

    private func record(
        _ item: FinishAnnouncements.Announcement,
        _ transaction: StoreTransaction
    ) throws {
        // The folder of a download that was removed is known from its removal.
        let root = try transaction.requests.confiningFolder(of: item.id)
        _ = try transaction.intentions.add(
            .finish(item.file),
            for: item.id,
            root: root ?? parts.removals.jobAfterRun(of: item.id)?.root
        )
        // After a kill, a rule may ask for the media type.
        guard parts.moves.mayMove(item.id),
            let response = parts.environment.running[item.id]?.response,
            var row = try transaction.downloads.find(item.id)
        else { return }
        row.response = WireResponse(response)
        try transaction.downloads.save(row)
    }

    // MARK: - After the commit

    private func apply(_ committed: Committed<Outcome>, _ work: Work) -> [StartedRun] {
        let outcome = committed.value
        let (waiting, counters) = (parts.waiting, parts.environment.counters)
        ends.removeAll { end in work.ends.contains { $0.task === end.task } }
        unstarted = []
        parts.removals.recorded(work.removals)
        waiting.adopt(work.plan)
        parts.announcements.recorded(
            work.announcements.filter { !outcome.stale.contains($0.id) }
        )
        for end in work.ends { forget(end) }
        giveUp(work, outcome)
        parts.renames.recorded(work.names.keys)
        parts.queue(outcome.ends.removals)
        counters.failed(outcome.ends.failures + outcome.starts.failures)
        for id in outcome.ends.finished { waiting.leave(id) }
        for entry in outcome.ends.retries { waiting.add(entry) }
        for id in work.plan.starting { parts.retries.forget(id) }
        let hasFree = waiting.releaseTargets(ofRuns: work.ends.map(\.id))
        let (started, unstarted) = starter.start(outcome.starts)
        self.unstarted = unstarted
        let hasRepetitions = starter.queueRepetitions(outcome.starts)
        // A row that was removed or ended meanwhile has no run.
        let failed = Set(unstarted.map(\.id))
        for id in work.plan.starting
        where parts.environment.running[id] == nil && !failed.contains(id) { waiting.ended(id) }
        // The next step may start these at once, or has to record them.
        let mayTake = parts.taken.isShared && !work.ended.isEmpty
        if !outcome.ends.retries.isEmpty || !unstarted.isEmpty || hasFree || hasRepetitions
            || mayTake
        {
            parts.environment.work.send()
        }
        parts.environment.notifier.published(committed.lastEvent)
        parts.hooks.committed()
        // Its run may have left an upload.
        if work.ends.contains(where: { $0.task.isForObject }) { parts.uploads.check() }
        if !work.ends.isEmpty || !work.unstarted.isEmpty { parts.environment.endings.send() }
        return started
    }

    /// Forgets the downloads that no longer belong to this node.
    private func giveUp(_ work: Work, _ outcome: Outcome) {
        guard parts.taken.isShared else { return }
        let ended = work.ended.filter { !work.plan.starting.contains($0) }
        for id in parts.taken.giveUp(ended, stale: outcome.stale) { parts.waiting.leave(id) }
        // Their runs have no effect any more.
        let running = outcome.stale.filter { parts.environment.running[$0] != nil }
        parts.taken.forfeit(running)
        for id in running { parts.control.stop(id, keeping: true) }
    }

    /// Forgets what was known of a run.
    private func forget(_ end: EndedRun) {
        parts.environment.running.ended(end.id, end.task)
        parts.control.ended(end.id)
        parts.announcements.ended(end.id)
        parts.retries.ended(end.id)
        parts.moves.ended(end.id)
        parts.renames.ended(end.id)
        parts.removals.ended(end.id)
        if case .success = end.result { parts.environment.counters.finished() }
    }
}
