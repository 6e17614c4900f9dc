internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Adds downloads to the queue.
struct DownloadAdder {
    let parts: QueueParts
    let folders: FolderRecord?

    /// A new download after all checks but those of its rights.
    struct Prepared: Sendable {
        fileprivate var row: WireDownload
        fileprivate var new: NewDownload
        fileprivate var request: RequestTable.Entry
        private let destination: Destination

        /// Checks a download; it needs no access to the queue, so that any thread may do it.
        ///
        /// - Throws: `.usage` for an invalid download.
        init(_ new: NewDownload, of owner: DownloadOwner, at now: Date) throws(DownloadError) {
            let checked = try new.checked()
            var new = new
            if case .object(let url) = checked.destination { new.destination = url.absoluteString }
            row = WireDownload(
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
            self.new = new
            destination = checked.destination
            request = try RequestTable.Entry(new)
        }

        /// Returns a download that differs only by its HTTP URL, as `init` would make it.
        ///
        /// - Throws: `.usage` for an invalid URL.
        func with(url text: String) throws(DownloadError) -> Prepared {
            var other = self
            other.new.url = text
            let (url, _) = try other.new.checkedURL()
            other.row.name = destination.workingName(for: url)
            other.row.url = url.redacted
            if let request = try request.with(url: text, insteadOf: new.url) {
                other.request = request
            } else {
                other.request = try RequestTable.Entry(other.new)
            }
            return other
        }

        /// The number of bytes of the request as it is stored.
        var byteCount: Int { request.body.count }

        /// The session of the download; `nil` if it belongs to none.
        var session: String? { row.session }

        /// Puts the download into another session, or into none.
        mutating func setSession(_ session: String?) throws(DownloadError) {
            guard row.session != session else { return }
            (row.session, new.session) = (session, session)
            request = try RequestTable.Entry(new)
        }
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
        let admitted = try parts.additionRules.admitted(new, by: authority)
        let checked = try Self.checked(admitted, authority)
        recordFolders(checked.map(\.row.destination))
        // As they were given: a label may get other settings before the request is repeated.
        let key = try key.map { (key) throws(DownloadError) in
            IdempotencyKey(
                key,
                of: authority,
                contents: try Self.contents(zip(new, checked))
            )
        }
        let sessions = Set(checked.compactMap { $0.row.session.map { ExactText($0) } })
        var order = parts.positions.taking
        let committed = try parts.environment.store.write(for: .needsRoom) { transaction in
            if let known = try key?.ids(transaction) {
                return (try transaction.downloads.find(known), false)
            }
            for session in sessions {
                try QueueAccess.check(.addToSession, session.text, by: authority, transaction)
            }
            if let gid { try parts.gids.checkIsFree(gid, transaction) }
            // The transaction may run more than once.
            order = parts.positions.taking
            let rows = try Self.insert(checked, &order, transaction)
            if let gid, let first = rows.first { try transaction.gids.set(gid, of: first.id) }
            if let first = rows.first, let last = rows.last {
                try key?.record(first.id...last.id, transaction)
            }
            return (rows, true)
        }
        let (rows, isNew) = committed.value
        let outcome = WireOutcome(downloads: rows, lastEvent: committed.lastEvent)
        guard isNew else { return outcome }
        if let gid, let first = outcome.downloads.first { parts.gids.choose(gid, for: first.id) }
        added(outcome, order)
        return outcome
    }

    /// Adds downloads that were prepared, and makes another change with them: both or none.
    ///
    /// `change`: checks the rights, and may change the downloads; returns `nil` if nothing is to be
    /// added.
    func add<Value>(
        _ prepared: [Prepared],
        with change: (StoreTransaction, inout [Prepared]) throws -> Value?
    ) throws(DownloadError) -> (Value, WireOutcome)? {
        if !prepared.isEmpty { recordFolders(prepared.map(\.row.destination)) }
        var order = parts.positions.taking
        let committed = try parts.environment.store.write(for: .needsRoom) {
            (transaction) -> (Value, [WireDownload])? in
            // The transaction may run more than once.
            order = parts.positions.taking
            var prepared = prepared
            guard let value = try change(transaction, &prepared) else { return nil }
            let rows = try Self.insert(prepared, &order, transaction)
            return (value, rows)
        }
        guard let (value, rows) = committed.value else { return nil }
        let outcome = WireOutcome(downloads: rows, lastEvent: committed.lastEvent)
        if !rows.isEmpty { added(outcome, order) }
        return (value, outcome)
    }

    /// Makes downloads wait after they are stored.
    private func added(_ outcome: WireOutcome, _ order: QueuePositions.Taking) {
        parts.positions.committed(order)
        for row in outcome.downloads where row.state == .waiting {
            parts.waiting.add(QueueScheduler.Entry(row))
        }
        parts.environment.published(outcome)
    }

    private static func checked(
        _ new: [NewDownload],
        _ authority: Authority
    ) throws(DownloadError) -> [Prepared] {
        guard !new.isEmpty else {
            throw .usage("no download is given", advice: "give one or more")
        }
        var checked: [Prepared] = []
        checked.reserveCapacity(new.count)
        let now = Date()
        for (index, download) in new.enumerated() {
            do throws(DownloadError) {
                checked.append(try Prepared(download, of: authority.owner ?? .user, at: now))
            } catch {
                guard new.count > 1 else { throw error }
                var error = error
                error.context = "reading download \(index + 1) of \(new.count)"
                throw error
            }
        }
        return checked
    }

    /// Records the folders of new downloads.
    ///
    /// Only the recovery of a damaged store needs them, so a failure is no reason to refuse the
    /// downloads.
    private func recordFolders(_ destinations: [String]) {
        do throws(DownloadError) {
            try folders?.note(destinations)
        } catch {
            parts.environment.logger.warning("the folders of downloads were not recorded: \(error)")
        }
    }

    private static func insert(
        _ downloads: [Prepared],
        _ order: inout QueuePositions.Taking,
        _ transaction: StoreTransaction
    ) throws -> [WireDownload] {
        var rows: [WireDownload] = []
        rows.reserveCapacity(downloads.count)
        let positions = try order.takeLast(downloads.count, transaction)
        for (download, position) in zip(downloads, positions) {
            var row = download.row
            row.position = position
            row.createdAt = transaction.now
            rows.append(row)
        }
        let requests = downloads.map(\.request)
        let ids = try transaction.downloads.insert(Array(zip(rows, requests)))
        for (index, id) in zip(rows.indices, ids) {
            rows[index].id = id
            try transaction.events.append(.added, rows[index], at: transaction.now)
        }
        return rows
    }

    /// The downloads without their secrets, for a checksum.
    private static func contents(
        _ downloads: some Sequence<(NewDownload, Prepared)>
    ) throws(DownloadError) -> [UInt8] {
        var bytes: [UInt8] = []
        for (new, checked) in downloads {
            bytes += try WireJSON.encode(new.withoutSecrets(url: checked.row.url))
        }
        return bytes
    }
}
