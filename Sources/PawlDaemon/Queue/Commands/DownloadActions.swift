internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Pauses, resumes, cancels, removes and moves downloads.
struct DownloadActions {
    let parts: QueueParts
    let undo: RemovalUndo

    private struct Change {
        var effect: ActionRules.Effect
        var now: WireDownload
        /// The removal to carry out at once.
        var removal: RemovalJob?
        /// The removal to carry out after the end of the run.
        var removalAfterRun: RemovalJob?
    }

    /// Performs an action on all downloads of a selection, or on none.
    ///
    /// Returns the outcome, and the removals that the caller carries out before it responds.
    ///
    /// - Throws: `.notFound` for a target that matches none, `.conflict` if a download that is named is in
    ///   the wrong state, `.notAllowed`.
    func act(
        _ action: QueueAction,
        on selection: Selection,
        by authority: Authority,
        _ rules: NetworkRules
    ) throws(DownloadError) -> (WireOutcome, [RemovalJob]) {
        try act(action, by: authority, rules, isAll: selection.all == true) { transaction in
            try transaction.search.select(selection, states: ActionRules.states(action))
        }
    }

    /// Resumes downloads that have failed with an error; others are left out.
    ///
    /// `ids` are ascending.
    func retry(
        _ ids: [Int64],
        failedWith kind: ErrorCode,
        by authority: Authority,
        _ rules: NetworkRules
    ) throws(DownloadError) -> WireOutcome {
        try act(.resume, by: authority, rules, isAll: true) { transaction in
            try ids.compactMap { id in
                guard let row = try transaction.downloads.find(id), row.state == .failed,
                    row.problem?.code ?? .unknown == kind
                else { return nil }
                return DownloadSearch.Selected(download: row, isNamed: false)
            }
        }.0
    }

    /// `isAll`: whether the downloads that do not change are left out.
    private func act(
        _ action: QueueAction,
        by authority: Authority,
        _ rules: NetworkRules,
        isAll: Bool,
        on choose: (StoreTransaction) throws -> [DownloadSearch.Selected]
    ) throws(DownloadError) -> (WireOutcome, [RemovalJob]) {
        var order = parts.positions.taking
        let committed = try write(action) { transaction in
            // The transaction may run more than once.
            order = parts.positions.taking
            let selected = try choose(transaction)
            try transaction.commands.note(selected.map(\.download.id))
            var changes: [Change] = []
            let removal = try removal(action, of: selected.count, by: authority, transaction)
            for var item in selected
            where try QueueAccess.allows(action, for: item, by: authority, rules, transaction) {
                // The progress up to now; the end of the run is recorded later.
                if item.download.state.isActive {
                    item.download = parts.environment.running.latest(item.download)
                }
                let change = try change(
                    item,
                    action,
                    transaction,
                    &order,
                    undoneAs: removal,
                    by: authority.owner ?? .user
                )
                guard let change, change.effect != .nothing || !isAll else { continue }
                changes.append(change)
            }
            return changes
        }
        let changes = committed.value
        parts.positions.committed(order)
        for change in changes { apply(change, action) }
        if action == .remove { undo.removed(at: Date()) }
        let outcome = WireOutcome(downloads: changes.map(\.now), lastEvent: committed.lastEvent)
        parts.environment.published(outcome)
        return (outcome, changes.compactMap(\.removal))
    }

    /// Actions that free space are possible on a full disk, too.
    private func write<Value>(
        _ action: QueueAction,
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Committed<Value> {
        let purpose: WritePurpose =
            switch action {
            case .pause, .cancel, .remove, .removeWithFiles: .endsSomething
            case .resume, .moveFirst, .moveLast: .needsRoom
            }
        return try parts.environment.store.write(for: purpose, body)
    }

    // MARK: - In the store

    private func change(
        _ item: DownloadSearch.Selected,
        _ action: QueueAction,
        _ transaction: StoreTransaction,
        _ order: inout QueuePositions.Taking,
        undoneAs removal: Int64?,
        by remover: DownloadOwner
    ) throws -> Change? {
        let effect = ActionRules.effect(
            action,
            on: item.download.state,
            waitsToRetry: item.download.failures != nil,
            isComplete: try isComplete(item.download, transaction)
        )
        var change = Change(effect: effect, now: item.download)
        let now = transaction.now
        switch effect {
        case .nothing:
            if action == .cancel { try retryRemoval(&change, transaction) }
            return change
        case .refuse(let reason):
            guard item.isNamed else { return nil }
            throw Self.refusal(item.download, action, reason)
        case .become(let state):
            if state == .cancelled { try recordCancellation(&change, transaction) }
            Self.put(&change.now, into: state, now)
            try save(change.now, WireEvent.Kind(putInto: state), now, transaction)
        case .remove:
            if action == .removeWithFiles { try recordRemoval(&change, transaction) }
            // The program of a session has been notified by then.
            if let removal, item.download.taskIdentifier == nil {
                try transaction.downloads.save(change.now)
                try transaction.removed.keep(
                    item.download.id,
                    removal: removal,
                    by: remover,
                    at: now
                )
            }
            try transaction.downloads.delete(item.download.id)
            try transaction.events.append(.removed, change.now, at: now)
        case .moveFirst:
            change.now.position = try order.takeFirst(transaction)
            try save(change.now, .changed, now, transaction)
        case .moveLast:
            change.now.position = try order.takeLast(transaction)
            try save(change.now, .changed, now, transaction)
        }
        return change
    }

    /// Whether the file of a run has its name or is about to get it, so that only the record of its
    /// end is left.
    ///
    /// Otherwise, stopping the run keeps the file from getting its name (``FinishAnnouncements``).
    private func isComplete(
        _ row: WireDownload,
        _ transaction: StoreTransaction
    ) throws -> Bool {
        if parts.moves.isMoving(row.id) || parts.announcements.isFinishing(row.id) { return true }
        if let task = parts.environment.running[row.id] { return task.state == .finished }
        return try row.state.isActive && transaction.commands.isFinishingElsewhere(row.id)
    }

    /// Whether a download runs, here or on another node.
    private func runs(_ row: WireDownload, _ transaction: StoreTransaction) throws -> Bool {
        if parts.environment.running[row.id] != nil { return true }
        return try row.state.isActive && transaction.commands.isElsewhere(row.id)
    }

    /// Returns the number of a removal that can be undone; `nil` for another action.
    private func removal(
        _ action: QueueAction,
        of count: Int,
        by authority: Authority,
        _ transaction: StoreTransaction
    ) throws -> Int64? {
        guard action == .remove || action == .removeWithFiles, count > 0 else { return nil }
        // Otherwise its undo would restore the downloads of an earlier removal. Feeds are kept:
        // nothing else restores their items.
        guard action == .remove, count <= RemovalUndo.mostDownloads else {
            try transaction.removed.forgetDownloads(of: authority.undoableRemovals)
            return nil
        }
        return try transaction.removed.nextNumber()
    }

    private func save(
        _ row: WireDownload,
        _ kind: WireEvent.Kind,
        _ now: Date,
        _ transaction: StoreTransaction
    ) throws {
        try transaction.downloads.save(row)
        try transaction.events.append(kind, row, at: now)
    }

    /// Records that the partial file of a cancelled download is to be removed.
    ///
    /// If the download runs, the record of the run's end replaces this record. If the daemon ends
    /// before that, its next start removes the file.
    private func recordCancellation(
        _ change: inout Change,
        _ transaction: StoreTransaction
    ) throws {
        let row = change.now
        try transaction.uploads.abandon(row.id)
        let removal = try PendingRemovals.removal(
            of: row,
            all: false,
            running: parts.environment.running.partialFile(of: row.id),
            transaction
        )
        let root = try transaction.requests.confiningFolder(of: row.id)
        guard try !runs(row, transaction) else {
            let late = Removal(removal?.files ?? [])
            change.removalAfterRun =
                try PendingRemovals.record(late, of: row.id, root: root, transaction)
            return
        }
        let all = try PendingRemovals.addLeft(of: row.id, to: removal, transaction)
        change.removal = try PendingRemovals.record(all, of: row.id, root: root, transaction)
        // Another file may get the same inode, and another download the same name.
        try transaction.writtenFiles.forgetPartialFiles(of: row.id)
        change.now.path = nil
    }

    /// Records again what earlier removals of a cancelled download's files have left.
    private func retryRemoval(_ change: inout Change, _ transaction: StoreTransaction) throws {
        let id = change.now.id
        guard try !runs(change.now, transaction) else { return }
        let left = try PendingRemovals.addLeft(of: id, to: nil, transaction)
        let root = try transaction.requests.confiningFolder(of: id)
        change.removal = try PendingRemovals.record(left, of: id, root: root, transaction)
    }

    /// Records that all files of a removed download are to be removed.
    ///
    /// If the download runs, its partial file is removed after the run. The same applies to a complete
    /// file that is being moved.
    private func recordRemoval(_ change: inout Change, _ transaction: StoreTransaction) throws {
        let row = change.now
        try transaction.uploads.abandon(row.id)
        let moving = parts.moves.movingFile(of: row.id)
        let isRunning = try moving != nil || runs(row, transaction)
        let root = try transaction.requests.confiningFolder(of: row.id)
        let found = try PendingRemovals.removal(
            of: row,
            all: true,
            running: parts.environment.running.partialFile(of: row.id),
            transaction
        )
        let all =
            isRunning ? found : try PendingRemovals.addLeft(of: row.id, to: found, transaction)
        guard var removal = all ?? (isRunning ? Removal() : nil) else { return }
        if isRunning {
            let partial = removal.files.filter { $0.kind == .partial }
            let late = Removal(partial + [moving].compactMap(\.self))
            removal.files.removeAll { $0.kind == .partial }
            removal.unrecorded = nil
            change.removalAfterRun =
                try PendingRemovals.record(late, of: row.id, root: root, transaction)
                ?? RemovalJob(intention: 0, download: row.id, removal: late, root: root)
        }
        change.removal = try PendingRemovals.record(removal, of: row.id, root: root, transaction)
    }

    private static func put(_ row: inout WireDownload, into state: TaskState, _ now: Date) {
        row.state = state
        row.endedAt = state.isEnd ? now : nil
        if state == .cancelled { row.completedBytes = 0 }
        guard state == .waiting else { return }
        row.problem = nil
        // Without failures, the date is the user's and stays.
        if row.failures != nil { row.notBefore = nil }
        row.failures = nil
    }

    private static func refusal(
        _ download: WireDownload,
        _ action: QueueAction,
        _ reason: String
    ) -> DownloadError {
        Conflict.error(
            "\(action.rawValue) is not possible for download \(download.id) "
                + "(\(download.name)): \(reason)",
            advice: "see 'pawl show \(download.id)'"
        )
    }

    // MARK: - After the commit

    /// Applies the recorded change to the schedule and to the run.
    private func apply(_ change: Change, _ action: QueueAction) {
        let row = change.now
        switch change.effect {
        case .nothing, .refuse: return
        case .become(.waiting):
            parts.retries.forget(row.id)
            parts.waiting.wait(QueueScheduler.Entry(row))
        case .become(let state):
            parts.waiting.leave(row.id)
            if row.isObject { parts.uploads.check() }
            if let late = change.removalAfterRun {
                parts.removals.replace(late.intention, atEndOf: row.id)
            }
            parts.control.stop(row.id, keeping: state == .paused)
        case .remove:
            parts.waiting.leave(row.id)
            if row.isObject { parts.uploads.check() }
            if parts.environment.running[row.id] != nil || parts.moves.isMoving(row.id) {
                parts.removals.keep(change.removalAfterRun, untilEndOf: row.id)
            }
            parts.control.stop(row.id, keeping: action == .remove)
        case .moveFirst, .moveLast:
            if row.state == .waiting { parts.waiting.wait(parts.retries.entry(of: row)) }
        }
    }
}
