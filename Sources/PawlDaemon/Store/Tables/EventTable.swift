package import FoundationEssentials
internal import GRDB
package import PawlWire

/// The events that were published.
package struct EventTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Appends what happened to a download, as it is now.
    package func append(
        _ kind: WireEvent.Kind,
        _ download: WireDownload,
        at now: Date
    ) throws {
        let isUnacknowledged = try kind == .removed && isUnacknowledged(download)
        let hasProgress = kind != .added && kind != .started && kind != .changed
        try database.run(
            """
            INSERT INTO event (kind, download, name, session, at, path, completedBytes,
                totalBytes, problem, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                kind.rawValue, download.id, download.name, download.session,
                now.timeIntervalSince1970, kind == .finished ? download.path : nil,
                hasProgress ? download.completedBytes : nil,
                hasProgress ? download.totalBytes : nil,
                kind == .failed || kind == .retrying ? ColumnCoding.text(download.problem) : nil,
                isUnacknowledged ? ColumnCoding.text(download) : nil,
            ]
        )
    }

    /// Whether a process of the download's session has not acknowledged its end yet.
    private func isUnacknowledged(_ download: WireDownload) throws -> Bool {
        guard let session = download.session,
            let last = try SessionTable(database).acknowledged(session)
        else {
            return false
        }
        guard download.endedAt != nil else { return true }
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
        try database.run(
            """
            INSERT INTO event (kind, download, name, at, detail) VALUES (?, 0, '', ?, ?)
            """,
            [
                WireEvent.Kind.settings.rawValue, now.timeIntervalSince1970,
                ColumnCoding.text(settings),
            ]
        )
    }

    /// Returns whether an event of a download is kept.
    func contains(of download: Int64) throws -> Bool {
        let id: Int64? = try database.value(
            "SELECT id FROM event WHERE download = ? LIMIT 1",
            [download]
        )
        return id != nil
    }

    /// Returns the id of the newest event ever; 0 if there was none.
    package func last() throws -> Int64 {
        try database.value("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
    }

    /// Returns the oldest events after an event, of all downloads or of a session.
    package func list(
        after id: Int64,
        of session: String? = nil,
        limit: Int
    ) throws -> [WireEvent] {
        var arguments: StatementArguments = [id]
        if let session { arguments += [session] }
        return try database.rows(
            """
            SELECT * FROM event WHERE id > ? \(session == nil ? "" : "AND session = ?")
            ORDER BY id LIMIT ?
            """,
            arguments + [limit]
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
        let last = try last()
        try recordMissed(through: last - count, most: last - most, seenSince: date)
        try database.run(
            """
            DELETE FROM event WHERE id <= ? AND (id <= ? OR NOT EXISTS (
                SELECT 1 FROM session
                WHERE identifier = event.session AND acknowledged < event.id AND seenAt >= ?
            ))
            """,
            [last - count, last - most, date.timeIntervalSince1970]
        )
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
            UPDATE session SET missedUpTo = MAX(missedUpTo, COALESCE((
                SELECT MAX(id) FROM event
                WHERE event.session = session.identifier AND id > session.acknowledged
                    AND id <= ?1 AND (id <= ?2 OR session.seenAt < ?3)
            ), 0))
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

    /// Gives the next event an id above this one.
    func continueIDs(above id: Int64) throws {
        guard id > (try last()) else { return }
        try database.execute(
            sql: """
                DELETE FROM sqlite_sequence WHERE name = 'event';
                INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?)
                """,
            arguments: [id]
        )
    }

    /// Returns the newest events of a download, the oldest of them first.
    package func list(
        ofDownload id: Int64,
        before: Int64? = nil,
        limit: Int
    ) throws -> WireEvents {
        // One more row shows whether there are more.
        let rows = try database.rows(
            """
            SELECT * FROM event WHERE download = ? AND download > 0 AND id < ?
            ORDER BY id DESC LIMIT ?
            """,
            [id, before ?? .max, limit + 1]
        )
        let events = Array(rows.prefix(limit).compactMap(Self.event).reversed())
        return WireEvents(events, next: rows.count > limit ? events.first?.id : nil)
    }

    private static func event(_ row: Row) -> WireEvent? {
        guard let kind = WireEvent.Kind(rawValue: row["kind"]) else { return nil }
        let at: Double = row["at"]
        var event = WireEvent(
            id: row["id"],
            kind: kind,
            download: kind == .settings ? nil : row["download"],
            name: row["name"],
            at: Date(timeIntervalSince1970: at)
        )
        event.session = row["session"]
        event.path = row["path"]
        event.completedBytes = row["completedBytes"]
        event.totalBytes = row["totalBytes"]
        event.problem = ColumnCoding.value(row["problem"])
        switch kind {
        case .removed: event.removed = ColumnCoding.value(row["detail"])
        case .settings: event.settings = ColumnCoding.value(row["detail"])
        default: break
        }
        return event
    }
}
