package import FoundationEssentials
internal import PawlCore
package import PawlWire

/// The events that were published.
package struct EventTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Appends what happened to a download, as it is now.
    ///
    /// The event gets its number at the end of the transaction, or when a statement of this
    /// transaction reads the events.
    @discardableResult
    package func append(
        _ kind: WireEvent.Kind,
        _ download: WireDownload,
        at now: Date
    ) throws -> PendingEvents.Index {
        let isUnacknowledged = try kind == .removed && isUnacknowledged(download)
        let hasProgress = kind != .added && kind != .started && kind != .changed
        let values: [(any SQLEncodable)?] = [
            kind.rawValue, download.id, download.name, download.session,
            now.timeIntervalSince1970, kind == .finished ? download.path : nil,
            hasProgress ? download.completedBytes : nil,
            hasProgress ? download.totalBytes : nil,
            kind == .failed || kind == .retrying
                ? try ColumnCoding.text(download.problem) : nil,
            isUnacknowledged ? try ColumnCoding.text(download) : nil,
        ]
        return try database.pendingEvents.append(
            PendingEvents.Entry(
                download: download.id,
                session: download.session,
                isEnd: kind == .finished || kind == .failed || kind == .cancelled,
                values: [SQLValue](parameters: values)
            )
        )
    }

    /// The columns of an event besides its id, which `PendingEvents.Entry` has the values of.
    static let columns = """
        kind, download, name, session, at, path, completedBytes, totalBytes, problem, detail
        """

    private static let insertion = """
        INSERT INTO event (id, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Writes the events that have no numbers yet.
    func flush() throws {
        try database.pendingEvents.number { count in
            try CounterTable(database).take(count, of: .event)
        } _: { id, entry, response in
            try database.execute(Self.insertion, [.integer(id)] + entry.values, isKept: true)
            if let response { try ErrorResponseTable(database).insert(response, at: id) }
        }
    }

    /// The name of the table for the statements of other tables; all events of the transaction have
    /// their numbers when it returns.
    ///
    /// Other tables must not name it themselves: they would miss the transaction's own events.
    func name() throws -> String {
        try flush()
        return "event"
    }

    /// Whether a process of the download's session has not acknowledged its end yet.
    private func isUnacknowledged(_ download: WireDownload) throws -> Bool {
        guard let session = download.session,
            let last = try SessionTable(database).acknowledged(session)
        else {
            return false
        }
        guard download.endedAt != nil else { return true }
        guard !database.pendingEvents.containsEnd(of: download.id, in: session) else { return true }
        let end: Int64? = try database.value(
            """
            SELECT id FROM event WHERE session = ? AND id > ? AND download = ?
                AND kind IN ('finished', 'failed', 'cancelled') LIMIT 1
            """,
            [session, last, download.id]
        )
        return end != nil
    }

    /// Appends a change of the daemon's settings.
    package func append(_ settings: DaemonSettings, at now: Date) throws {
        let kind = WireEvent.Kind.settings.rawValue
        let values: [(any SQLEncodable)?] = [
            kind, 0, "", nil, now.timeIntervalSince1970, nil, nil, nil, nil,
            try ColumnCoding.text(settings),
        ]
        _ = database.pendingEvents.append(
            PendingEvents.Entry(download: 0, values: try [SQLValue](parameters: values))
        )
    }

    /// Returns whether an event of a download is kept.
    func contains(of download: Int64) throws -> Bool {
        guard !database.pendingEvents.contains(of: download) else { return true }
        let id: Int64? = try database.value(
            "SELECT id FROM event WHERE download = ? LIMIT 1",
            [download]
        )
        return id != nil
    }

    /// Returns the id of the newest event ever; 0 if there was none.
    package func last() throws -> Int64 {
        try flush()
        return try CounterTable(database).last(.event)
    }

    /// Returns the oldest events after an event, of all downloads or of a session.
    package func list(
        after id: Int64,
        of session: String? = nil,
        limit: Int
    ) throws -> [WireEvent] {
        try flush()
        let parameters: [(any SQLEncodable)?] = session.map { [id, $0] } ?? [id]
        return try database.rows(
            """
            SELECT * FROM event WHERE id > ? \(session == nil ? "" : "AND session = ?")
            ORDER BY id LIMIT ?
            """,
            parameters + [limit]
        ).compactMap(Self.event)
    }

    /// Deletes all events except the newest ones and those that a session has not acknowledged.
    ///
    /// `count`: the number of newest events that are kept. `date`: if the last process of a session
    /// was attached before this time, the session's unacknowledged events are deleted, too. `most`:
    /// the maximum number of events that are kept in all.
    package func prune(
        keeping count: Int64,
        seenSince date: Date = .distantPast,
        most: Int64 = .max
    ) throws {
        _ = try prune(keeping: count, seenSince: date, most: most, after: 0, limit: .max)
    }

    /// Deletes some of these events, the oldest first; returns the event after which the next call
    /// continues, or `nil` if all are deleted.
    ///
    /// `limit`: the maximum number of events that are deleted.
    package func prune(
        keeping count: Int64,
        seenSince date: Date,
        most: Int64 = .max,
        after id: Int64,
        limit: Int
    ) throws -> Int64? {
        let last = try last()
        try recordMissed(through: last - count, most: last - most, seenSince: date)
        let deleted: [Int64] = try database.values(
            """
            DELETE FROM event WHERE id IN (
                SELECT id FROM event WHERE id > ? AND id <= ? AND (id <= ? OR NOT EXISTS (
                    SELECT 1 FROM session
                    WHERE identifier = event.session AND acknowledged < event.id AND seenAt >= ?
                )) ORDER BY id LIMIT ?
            ) RETURNING id
            """,
            [id, last - count, last - most, date.timeIntervalSince1970, limit]
        )
        return deleted.count == limit ? deleted.max() : nil
    }

    /// Records the newest events to be deleted, for readers that ask for them later: of all events,
    /// and of those that a session has not acknowledged.
    private func recordMissed(through last: Int64, most: Int64, seenSince date: Date) throws {
        let oldest: Int64? = try database.value(
            "SELECT id FROM event WHERE id <= ? ORDER BY id LIMIT 1",
            [last]
        )
        guard oldest != nil else { return }
        try StoredSettings(database).setNewestMissedEvent(last)
        try database.run(
            """
            UPDATE session SET missedUpTo = missed.newest FROM (
                SELECT identifier AS name, (
                    SELECT MAX(id) FROM event
                    WHERE event.session = one.identifier AND id > one.acknowledged
                        AND id <= ?1 AND (id <= ?2 OR one.seenAt < ?3)
                ) AS newest FROM session AS one
            ) AS missed
            WHERE session.identifier = missed.name AND session.missedUpTo < missed.newest
            """,
            [last, most, date.timeIntervalSince1970]
        )
    }

    /// Returns the newest event that may have been deleted, of all or of a session; 0 if all are
    /// kept.
    package func newestMissed(of session: String? = nil) throws -> Int64 {
        if let session {
            let missed: Int64? = try database.value(
                "SELECT missedUpTo FROM session WHERE identifier = ?",
                [session]
            )
            if let missed { return missed }
        }
        return try StoredSettings(database).newestMissedEvent() ?? 0
    }

    /// Returns the newest events of a download, the oldest of them first.
    package func list(
        ofDownload id: Int64,
        before: Int64? = nil,
        limit: Int
    ) throws -> WireEvents {
        try flush()
        // One more row shows whether there are more.
        let rows = try database.rows(
            """
            SELECT * FROM event WHERE download = ? AND download > 0 AND id < ?
            ORDER BY id DESC LIMIT ?
            """,
            [id, before ?? .max, limit + 1]
        )
        let events = try Array(rows.prefix(limit).compactMap(Self.event).reversed())
        return WireEvents(events, next: rows.count > limit ? events.first?.id : nil)
    }

    private static func event(_ row: StoreRow) throws -> WireEvent? {
        guard let kind = WireEvent.Kind(rawValue: try row["kind"]) else { return nil }
        let at: Double = try row["at"]
        var event = WireEvent(
            id: try row["id"],
            kind: kind,
            download: kind == .settings ? nil : try row["download"],
            name: try row["name"],
            at: Date(timeIntervalSince1970: at)
        )
        event.session = try row["session"]
        event.path = try row["path"]
        event.completedBytes = try row["completedBytes"]
        event.totalBytes = try row["totalBytes"]
        event.problem = ColumnCoding.value(try row["problem"])
        switch kind {
        case .removed: event.removed = ColumnCoding.value(try row["detail"])
        case .settings: event.settings = ColumnCoding.value(try row["detail"])
        default: break
        }
        return event
    }
}
