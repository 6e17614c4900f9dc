internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// What is asked of the queue: in the store first, then the scheduler and the tasks follow.
extension DownloadKeeper {
    // MARK: - Adding

    /// Adds all or none.
    ///
    /// - Throws: `.usage` for what cannot be, which names the first such one; `.notAllowed`.
    func add(
        _ new: [NewDownload],
        key: String?,
        by authority: Authority
    ) throws(DownloadError) -> WireOutcome {
        let orders = try Self.checked(try admitted(new, by: authority), authority)
        noteFolders(orders.map(\.row.destination))
        let fingerprint = try key == nil ? 0 : Self.fingerprint(orders)
        let key = key.map { Self.key($0, of: authority) }
        let sessions = Set(orders.compactMap(\.row.session))
        var position = nextPosition
        let (outcome, isNew) = try store.writeWithRoom { transaction in
            if let key, let known = try transaction.remembered(key) {
                guard known.fingerprint == fingerprint else { throw Self.keyIsTaken }
                return (try Self.outcome(transaction.downloads(known.ids), transaction), false)
            }
            for session in sessions {
                try Self.check(.addToSession, session, by: authority, transaction)
            }
            var rows: [WireDownload] = []
            for order in orders {
                rows.append(try Self.insert(order, position: position, transaction))
                position += 1
            }
            if let key, let first = rows.first, let last = rows.last {
                let known = StoreTransaction.RememberedKey(
                    fingerprint: fingerprint,
                    ids: first.id...last.id
                )
                try transaction.remember(key, known, at: Date())
            }
            return (try Self.outcome(rows, transaction), true)
        }
        guard isNew else { return outcome }
        nextPosition = position
        for row in outcome.downloads where row.state == .waiting {
            scheduler.wait(QueueScheduler.Entry(row))
        }
        published(outcome)
        return outcome
    }

    struct CheckedOrder: Sendable {
        var row: WireDownload
        var new: NewDownload
        var body: [UInt8]
    }

    private static func checked(
        _ new: [NewDownload],
        _ authority: Authority
    ) throws(DownloadError) -> [CheckedOrder] {
        guard !new.isEmpty else {
            throw DownloadError(.usage, "no download is given", advice: "give one or more")
        }
        var orders: [CheckedOrder] = []
        orders.reserveCapacity(new.count)
        let now = Date()
        for (index, download) in new.enumerated() {
            do throws(DownloadError) {
                orders.append(try order(download, authority, now))
            } catch {
                guard new.count > 1 else { throw error }
                var error = error
                error.context = "reading download \(index + 1) of \(new.count)"
                throw error
            }
        }
        return orders
    }

    private static func order(
        _ new: NewDownload,
        _ authority: Authority,
        _ now: Date
    ) throws(DownloadError) -> CheckedOrder {
        let order = try new.checked()
        var row = WireDownload(
            id: 0,
            state: new.isPaused == true ? .paused : .waiting,
            name: order.workingName,
            url: order.url.redacted,
            createdAt: now
        )
        row.owner = authority.owner ?? .user
        row.mirrors = new.shownMirrors
        row.destination = new.destination.sanitized
        row.priority = new.priority ?? .normal
        row.session = new.session
        row.notBefore = new.notBefore
        row.taskIdentifier = new.taskIdentifier
        row.taskDescription = new.taskDescription
        row.limitBytesPerSecond = order.settings.limitBytesPerSecond
        return CheckedOrder(row: row, new: new, body: try WireJSON.encode(new))
    }

    private static func insert(
        _ order: CheckedOrder,
        position: Int64,
        _ transaction: StoreTransaction
    ) throws -> WireDownload {
        var row = order.row
        row.position = position
        row.id = try transaction.insert(row, request: order.body)
        if let limit = row.limitBytesPerSecond { try transaction.setLimit(limit, of: row.id) }
        try transaction.append(.added, row, at: row.createdAt)
        return row
    }

    /// Whoever else takes the same one has another one.
    private static func key(_ key: String, of authority: Authority) -> String {
        guard let owner = authority.owner, owner != .user else { return key }
        // No key of the user's is that long, as one has 256 bytes at most.
        return String(repeating: "\n", count: 256) + "\(owner.text)\n\(key)"
    }

    /// Of all that is no secret (FNV-1a).
    private static func fingerprint(_ orders: [CheckedOrder]) throws(DownloadError) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for order in orders {
            let plain = order.new.withoutSecrets(url: order.row.url)
            let bytes = plain == order.new ? order.body : try WireJSON.encode(plain)
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return Int64(bitPattern: hash)
    }

    private static let keyIsTaken = Conflict.error(
        "the idempotency key was used for other downloads",
        advice: "use a new key for each request"
    )

    private static func outcome(
        _ rows: [WireDownload],
        _ transaction: StoreTransaction
    ) throws -> WireOutcome {
        WireOutcome(downloads: rows, lastEvent: try transaction.lastEvent())
    }

    func published(_ outcome: WireOutcome) {
        news.published(outcome.lastEvent)
        endings.ring()
        bell.ring()
    }

    // MARK: - Actions

    /// Does it to all that are meant, or to none; what is thrown away of those that do not run is gone
    /// by the answer, or named in it.
    ///
    /// - Throws: `.notFound` where a target means none, `.conflict` where one that is named cannot,
    ///   `.notAllowed` where it may not.
    func act(
        _ action: QueueAction,
        on selection: Selection,
        by authority: Authority
    ) async throws(DownloadError) -> WireOutcome {
        let rules = networkRules
        var places = Places(first: firstPosition, last: nextPosition)
        let live = live
        let (changes, last) = try write(action) { transaction in
            places = Places(first: firstPosition, last: nextPosition)
            let selected = try transaction.select(
                selection,
                states: ActionRules.states(action)
            )
            var changes: [Change] = []
            for var item in selected where try Self.may(action, with: item, by: authority, rules) {
                // How far it came: what follows from its end is written later.
                if item.download.state.isActive { item.download = live.latest(item.download) }
                let change = try change(item, action, transaction, &places)
                // What is so already is not among all that it is done to.
                guard let change, change.effect != .nothing || selection.all != true else {
                    continue
                }
                changes.append(change)
            }
            return (changes, try transaction.lastEvent())
        }
        (firstPosition, nextPosition) = (places.first, places.last)
        for change in changes { follow(change, action) }
        var outcome = WireOutcome(downloads: changes.map(\.now), lastEvent: last)
        published(outcome)
        let left = await carryOut(changes.compactMap(\.discard))
        if !left.isEmpty { outcome.notRemoved = left }
        return outcome
    }

    /// What makes room is possible on a full disk, too.
    private func write<Value>(
        _ action: QueueAction,
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        switch action {
        case .pause, .cancel, .remove, .removeWithFiles: try store.writeInAnyCase(body)
        case .resume, .moveFirst, .moveLast: try store.writeWithRoom(body)
        }
    }

    /// The free places at the beginning and the end of the queue.
    private struct Places {
        var first: Int64
        var last: Int64
    }

    private struct Change {
        var effect: ActionRules.Effect
        var now: WireDownload
        /// What goes at once.
        var discard: Discard?
        /// What goes when its run has ended.
        var late: Discard?
    }

    private func change(
        _ item: StoreTransaction.Selected,
        _ action: QueueAction,
        _ transaction: StoreTransaction,
        _ places: inout Places
    ) throws -> Change? {
        let effect = ActionRules.effect(
            action,
            on: item.download.state,
            waitsToRetry: item.download.failures != nil
        )
        var change = Change(effect: effect, now: item.download)
        let now = Date()
        switch effect {
        case .nothing: return change
        case .refuse(let reason):
            guard item.isNamed else { return nil }
            throw Self.refusal(item.download, action, reason)
        case .become(let state):
            if state == .cancelled { try intendToDiscard(&change, transaction) }
            Self.put(&change.now, into: state, now)
            try transaction.save(change.now)
            try transaction.append(WireEvent.Kind(putInto: state), change.now, at: now)
        case .remove:
            if action == .removeWithFiles { try intendToRemove(&change, transaction) }
            try transaction.delete(item.download.id)
            try transaction.append(.removed, change.now, at: now)
        case .moveFirst:
            places.first -= 1
            change.now.position = places.first
            try transaction.save(change.now)
            try transaction.append(.changed, change.now, at: now)
        case .moveLast:
            change.now.position = places.last
            places.last += 1
            try transaction.save(change.now)
            try transaction.append(.changed, change.now, at: now)
        }
        return change
    }

    /// What came of one that is cancelled goes: of one that runs when the run has ended, or with the next
    /// start if this daemon does not live to see that.
    private func intendToDiscard(_ change: inout Change, _ transaction: StoreTransaction) throws {
        let row = change.now
        let removal = try Self.removal(
            of: row,
            all: false,
            running: live.partialFile(of: row.id),
            transaction
        )
        let root = try transaction.root(of: row.id)
        guard live[row.id] == nil else {
            let late = Removal(removal?.files ?? [])
            change.late = try Self.intend(late, for: row.id, root: root, transaction)
            return
        }
        change.discard = try Self.intend(removal, for: row.id, root: root, transaction)
        // Another file may get the same number, and another download the same name.
        try transaction.forgetPartialFiles(of: row.id)
        change.now.path = nil
    }

    /// Of one that runs, the partial file goes when the run has ended.
    private func intendToRemove(_ change: inout Change, _ transaction: StoreTransaction) throws {
        let row = change.now
        let root = try transaction.root(of: row.id)
        let running = live.partialFile(of: row.id)
        guard
            var removal = try Self.removal(of: row, all: true, running: running, transaction)
                ?? (live[row.id] == nil ? nil : Removal())
        else { return }
        if live[row.id] != nil {
            let late = Removal(removal.files.filter { $0.kind == .partial })
            removal.files.removeAll { $0.kind == .partial }
            removal.unrecorded = nil
            change.late =
                try Self.intend(late, for: row.id, root: root, transaction)
                ?? Discard(intention: 0, download: row.id, removal: late, root: root)
        }
        change.discard = try Self.intend(removal, for: row.id, root: root, transaction)
    }

    private static func put(_ row: inout WireDownload, into state: TaskState, _ now: Date) {
        row.state = state
        row.endedAt = state.isEnd ? now : nil
        if state == .cancelled { row.completedBytes = 0 }
        guard state == .waiting else { return }
        row.problem = nil
        // A date that was asked for stays; the time of another try does not.
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
            advice: "see pawl show \(download.id)"
        )
    }

    /// The scheduler and the task do what the store says.
    private func follow(_ change: Change, _ action: QueueAction) {
        let row = change.now
        switch change.effect {
        case .nothing, .refuse: return
        case .become(.waiting):
            retryTimes[row.id] = nil
            wait(QueueScheduler.Entry(row))
        case .become(let state):
            leave(row.id)
            if let late = change.late { cancelled[row.id, default: []].append(late.intention) }
            stop(row.id, keeping: state == .paused)
        case .remove:
            leave(row.id)
            if live[row.id] != nil { removedWithFiles[row.id] = change.late }
            stop(row.id, keeping: action == .remove)
        case .moveFirst, .moveLast:
            if row.state == .waiting { wait(entry(of: row)) }
        }
    }

    /// What comes of a run is looked at when it has ended.
    private func stop(_ id: Int64, keeping: Bool) {
        guard let task = live[id] else { return }
        stopAnnouncing(of: id)
        task.end(keeping: keeping)
    }
}

extension NewDownload {
    /// What is kept for a while of what is kept no longer.
    fileprivate func withoutSecrets(url: String) -> NewDownload {
        var plain = self
        plain.url = url
        plain.resumeData = nil
        plain.settings = settings?.withoutSecrets
        plain.settings?[\.fields] = settings?[\.fields]?.map { HTTPField(name: $0.name, value: "") }
        plain.settings?[\.mirrors] = settings?[\.mirrors]?.compactMap { URL(string: $0.redacted) }
        return plain
    }
}
