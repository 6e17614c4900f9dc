internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// What is asked of the queue: in the store first, then the planner and the tasks follow.
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
        let (outcome, isNew) = try store.write { transaction in
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
            planner.wait(QueuePlanner.Entry(row))
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
        row.mirrors = new.settings?.shownMirrors
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
    /// - Throws: `.notFound` where a target means none, `.usage` where one that is named cannot,
    ///   `.notAllowed` where it may not.
    func act(
        _ action: QueueAction,
        on selection: Selection,
        by authority: Authority
    ) async throws(DownloadError) -> WireOutcome {
        let rules = networkRules
        var places = Places(first: firstPosition, last: nextPosition)
        let live = live
        let (changes, last) = try store.write { transaction in
            let selected = try transaction.select(
                selection,
                states: ActionRules.states(action)
            )
            var changes: [Change] = []
            for var item in selected where try Self.may(action, with: item, by: authority, rules) {
                // How far it came: what follows from its end is written later.
                if item.download.state.isActive { item.download = live.latest(item.download) }
                let change = try Self.change(item, action, transaction, &places)
                if let change { changes.append(change) }
            }
            return (changes, try transaction.lastEvent())
        }
        (firstPosition, nextPosition) = (places.first, places.last)
        let discards = changes.compactMap { follow($0, action) }
        var outcome = WireOutcome(downloads: changes.map(\.now), lastEvent: last)
        published(outcome)
        let left = await carryOut(discards)
        if !left.isEmpty { outcome.notRemoved = left }
        return outcome
    }

    /// The free places at the beginning and the end of the queue.
    private struct Places {
        var first: Int64
        var last: Int64
    }

    private struct Change {
        var before: WireDownload
        var now: WireDownload
        /// What is thrown away of it lies in there; nil is anywhere.
        var root: String?
    }

    private static func change(
        _ item: StoreTransaction.Selected,
        _ action: QueueAction,
        _ transaction: StoreTransaction,
        _ places: inout Places
    ) throws -> Change? {
        var change = Change(before: item.download, now: item.download)
        // Before it is forgotten.
        if item.download.path != nil { change.root = try transaction.root(of: item.download.id) }
        let now = Date()
        switch ActionRules.effect(action, on: item.download.state) {
        case .nothing: return change
        case .refuse(let reason):
            guard item.isNamed else { return nil }
            throw refusal(item.download, action, reason)
        case .become(let state):
            put(&change.now, into: state, now)
            try transaction.save(change.now)
            try transaction.append(WireEvent.Kind(putInto: state), change.now, at: now)
        case .remove:
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

    /// The planner and the task do what the store says; returns what is to be thrown away.
    private func follow(_ change: Change, _ action: QueueAction) -> Discard? {
        let row = change.now
        switch ActionRules.effect(action, on: change.before.state) {
        case .nothing, .refuse: return nil
        case .become(.waiting):
            wait(QueuePlanner.Entry(row))
            return nil
        case .become(let state):
            leave(row.id)
            return stop(change, keeping: state == .paused)
        case .remove:
            leave(row.id)
            let keeping = action == .remove
            if !keeping, live[row.id] != nil { removedWithFiles.insert(row.id) }
            return stop(change, keeping: keeping)
        case .moveFirst, .moveLast:
            if row.state == .waiting { wait(QueuePlanner.Entry(row)) }
            return nil
        }
    }

    private func stop(_ change: Change, keeping: Bool) -> Discard? {
        let row = change.now
        if let task = live[row.id] {
            // What comes of it is looked at when it has ended.
            task.end(keeping: keeping)
            return nil
        }
        guard !keeping, let path = row.path else { return nil }
        let kind: Discard.Kind = row.state == .finished ? .file : .leftover
        return Discard(id: row.id, kind: kind, path: path, root: change.root)
    }
}

extension NewDownload {
    /// What is kept for a while of what is kept no longer.
    fileprivate func withoutSecrets(url: String) -> NewDownload {
        var plain = self
        plain.url = url
        plain.resumeData = nil
        plain.settings?.credentials = nil
        plain.settings?.fields = settings?.fields?.map { field in
            var field = field
            field.value = ""
            return field
        }
        plain.settings?.mirrors = settings?.mirrors?.map { URL(string: $0)?.redacted ?? "" }
        return plain
    }
}
