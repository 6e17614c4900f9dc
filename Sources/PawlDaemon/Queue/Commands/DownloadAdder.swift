internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Adds downloads to the queue.
struct DownloadAdder {
    let parts: QueueParts
    let folders: FolderRecord

    /// A new download after all checks.
    private struct CheckedDownload: Sendable {
        var row: WireDownload
        var new: NewDownload
        var body: [UInt8]
    }

    /// Adds all downloads or none.
    ///
    /// `gid`: the GID that a client of aria2 has chosen for the first of them.
    ///
    /// - Throws: `.usage` for an invalid download, with its position in the request; `.notAllowed`;
    ///   `.conflict` if the GID is in use.
    func add(
        _ new: [NewDownload],
        key: String?,
        gid: String?,
        by authority: Authority
    ) throws(DownloadError) -> WireOutcome {
        let completed = try new.map { (download) throws(DownloadError) in
            try parts.labels.completed(download)
        }
        let rules = parts.settings.networkRules
        let admitted = try QueueAccess.admitted(completed, by: authority, rules)
        let checked = try Self.checked(admitted, authority)
        recordFolders(checked.map(\.row.destination))
        // As they were given: a label may get other settings before the request is repeated.
        let fingerprint = try key == nil ? 0 : Self.fingerprint(zip(new, checked))
        let key = key.map { Self.key($0, of: authority) }
        let sessions = Set(checked.compactMap { $0.row.session.map { ExactText($0) } })
        var order = parts.positions.order
        let (outcome, isNew) = try parts.environment.store.writeWithRoom { transaction in
            if let key, let known = try transaction.idempotencyKeys.entry(for: key) {
                guard known.fingerprint == fingerprint else { throw Self.keyIsTaken }
                let rows = try transaction.downloads.find(known.ids)
                return (try Self.outcome(rows, transaction), false)
            }
            for session in sessions {
                try QueueAccess.check(.addToSession, session.text, by: authority, transaction)
            }
            if let gid { try parts.gids.checkIsFree(gid, transaction) }
            // The transaction may run more than once.
            order = parts.positions.order
            let rows = try Self.insert(checked, &order, transaction)
            if let gid, let first = rows.first { try transaction.gids.set(gid, of: first.id) }
            if let key, let first = rows.first, let last = rows.last {
                let entry = IdempotencyTable.Entry(
                    fingerprint: fingerprint,
                    ids: first.id...last.id
                )
                try transaction.idempotencyKeys.add(key, entry, at: Date())
            }
            return (try Self.outcome(rows, transaction), true)
        }
        guard isNew else { return outcome }
        if let gid, let first = outcome.downloads.first { parts.gids.choose(gid, for: first.id) }
        added(outcome, order)
        return outcome
    }

    /// Adds downloads whose rights were checked, and makes another change with them: both or none.
    ///
    /// - Throws: `.usage` for an invalid download.
    func add(
        _ new: [NewDownload],
        of owner: DownloadOwner,
        with change: (StoreTransaction) throws -> Void
    ) throws(DownloadError) -> WireOutcome {
        let now = Date()
        let checked = try new.map { (new) throws(DownloadError) in
            try Self.check(new, owner, now)
        }
        recordFolders(checked.map(\.row.destination))
        var order = parts.positions.order
        let outcome = try parts.environment.store.writeWithRoom { transaction in
            // The transaction may run more than once.
            order = parts.positions.order
            let rows = try Self.insert(checked, &order, transaction)
            try change(transaction)
            return try Self.outcome(rows, transaction)
        }
        added(outcome, order)
        return outcome
    }

    /// Makes downloads wait after they are stored.
    private func added(_ outcome: WireOutcome, _ order: StartOrder) {
        parts.positions.set(order)
        for row in outcome.downloads where row.state == .waiting {
            parts.waiting.add(QueueScheduler.Entry(row))
        }
        parts.environment.published(outcome)
    }

    private static func checked(
        _ new: [NewDownload],
        _ authority: Authority
    ) throws(DownloadError) -> [CheckedDownload] {
        guard !new.isEmpty else {
            throw .usage("no download is given", advice: "give one or more")
        }
        var checked: [CheckedDownload] = []
        checked.reserveCapacity(new.count)
        let now = Date()
        for (index, download) in new.enumerated() {
            do throws(DownloadError) {
                checked.append(try check(download, authority.owner ?? .user, now))
            } catch {
                guard new.count > 1 else { throw error }
                var error = error
                error.context = "reading download \(index + 1) of \(new.count)"
                throw error
            }
        }
        return checked
    }

    private static func check(
        _ new: NewDownload,
        _ owner: DownloadOwner,
        _ now: Date
    ) throws(DownloadError) -> CheckedDownload {
        let checked = try new.checked()
        var row = WireDownload(
            id: 0,
            state: new.isPaused == true ? .paused : .waiting,
            name: checked.workingName,
            url: checked.url.redacted,
            createdAt: now
        )
        row.owner = owner
        row.mirrors = new.shownMirrors
        row.destination = new.destination.sanitized
        row.priority = new.priority ?? .normal
        row.session = new.session
        row.label = new.label
        row.notBefore = new.notBefore
        row.taskIdentifier = new.taskIdentifier
        row.taskDescription = new.taskDescription
        row.limitBytesPerSecond = checked.settings.limitBytesPerSecond
        return CheckedDownload(row: row, new: new, body: try WireJSON.encode(new))
    }

    /// Records the folders of new downloads.
    ///
    /// Only the recovery of a damaged store needs them, so a failure is no reason to refuse the
    /// downloads.
    private func recordFolders(_ destinations: [String]) {
        do throws(DownloadError) {
            try folders.note(destinations)
        } catch {
            parts.environment.logger.warning("the folders of downloads were not recorded: \(error)")
        }
    }

    private static func insert(
        _ downloads: [CheckedDownload],
        _ order: inout StartOrder,
        _ transaction: StoreTransaction
    ) throws -> [WireDownload] {
        var rows: [WireDownload] = []
        for download in downloads {
            rows.append(try insert(download, position: order.takeLast(), transaction))
        }
        return rows
    }

    private static func insert(
        _ download: CheckedDownload,
        position: Int64,
        _ transaction: StoreTransaction
    ) throws -> WireDownload {
        var row = download.row
        row.position = position
        row.id = try transaction.downloads.insert(row, request: download.body)
        if let limit = row.limitBytesPerSecond {
            try transaction.downloads.setLimit(limit, of: row.id)
        }
        try transaction.events.append(.added, row, at: row.createdAt)
        return row
    }

    private static func outcome(
        _ rows: [WireDownload],
        _ transaction: StoreTransaction
    ) throws -> WireOutcome {
        WireOutcome(downloads: rows, lastEvent: try transaction.events.last())
    }

    // MARK: - Idempotency

    /// The key as it is stored: the same key of another owner is another key.
    private static func key(_ key: String, of authority: Authority) -> String {
        guard let owner = authority.owner, owner != .user else { return key }
        // A key of the user has 256 bytes at most, so none is that long.
        return String(repeating: "\n", count: 256) + "\(owner.text)\n\(key)"
    }

    /// A checksum of the downloads without their secrets.
    private static func fingerprint(
        _ downloads: some Sequence<(NewDownload, CheckedDownload)>
    ) throws(DownloadError) -> Int64 {
        var bytes: [UInt8] = []
        for (new, checked) in downloads {
            bytes += try WireJSON.encode(new.withoutSecrets(url: checked.row.url))
        }
        return Int64(bitPattern: CyclicChecksum.of(bytes))
    }

    private static let keyIsTaken = Conflict.error(
        "the idempotency key was already used for other downloads",
        advice: "use a new key for each request"
    )
}

extension NewDownload {
    /// Returns the request without its secrets, for a checksum that is stored for a while.
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
