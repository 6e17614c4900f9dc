package import FoundationEssentials
internal import GRDB
package import PawlWire

extension StoreTransaction {
    /// Appends what happened to a download, as it is now.
    package func append(
        _ kind: WireEvent.Kind,
        _ download: WireDownload,
        at now: Date
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO event (kind, download, name, session, at, path, completedBytes,
                    totalBytes, problem, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        let isUntold = try kind == .removed && isUntold(download)
        let tellsBytes = kind != .added && kind != .started && kind != .changed
        try statement.execute(
            arguments: [
                kind.rawValue, download.id, download.name, download.session,
                now.timeIntervalSince1970, kind == .finished ? download.path : nil,
                tellsBytes ? download.completedBytes : nil,
                tellsBytes ? download.totalBytes : nil,
                kind == .failed || kind == .retrying ? Self.text(download.problem) : nil,
                isUntold ? Self.text(download) : nil,
            ]
        )
    }

    /// Whether a process of its session is still to hear of a download.
    private func isUntold(_ download: WireDownload) throws -> Bool {
        guard let session = download.session, let last = try acknowledged(session) else {
            return false
        }
        guard download.endedAt != nil else { return true }
        let end = try Int64.fetchOne(
            database,
            sql: """
                SELECT id FROM event WHERE session = ? AND id > ? AND download = ?
                    AND kind IN ('finished', 'failed', 'cancelled') LIMIT 1
                """,
            arguments: [session, last, download.id]
        )
        return end != nil
    }

    /// Appends that what holds for all was changed.
    package func append(_ settings: DaemonSettings, at now: Date) throws {
        try database.execute(
            sql: """
                INSERT INTO event (kind, download, name, at, detail) VALUES (?, 0, '', ?, ?)
                """,
            arguments: [
                WireEvent.Kind.settings.rawValue, now.timeIntervalSince1970, Self.text(settings),
            ]
        )
    }

    /// The newest event ever told; 0 where there was none.
    package func lastEvent() throws -> Int64 {
        try Int64.fetchOne(
            database,
            sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'"
        ) ?? 0
    }

    /// The oldest behind that one, of all sessions or of one.
    package func events(
        after id: Int64,
        of session: String? = nil,
        limit: Int
    ) throws -> [WireEvent] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT * FROM event WHERE id > ? \(session == nil ? "" : "AND session = ?")
                ORDER BY id LIMIT ?
                """
        )
        var arguments: StatementArguments = [id]
        if let session { arguments += [session] }
        return try Row.fetchAll(statement, arguments: arguments + [limit]).compactMap(Self.event)
    }

    /// Forgets all but the newest, and what a session has not acknowledged; that, too, where no process of
    /// the session has been there since a date, or where there is more than anybody could want.
    package func prune(
        keeping count: Int64,
        seenSince date: Date = .distantPast,
        most: Int64 = .max
    ) throws {
        let last = try lastEvent()
        try noteMissed(through: last - count, most: last - most, seenSince: date)
        try database.execute(
            sql: """
                DELETE FROM event WHERE id <= ? AND (id <= ? OR NOT EXISTS (
                    SELECT 1 FROM session
                    WHERE identifier = event.session AND acknowledged < event.id AND seenAt >= ?
                ))
                """,
            arguments: [last - count, last - most, date.timeIntervalSince1970]
        )
    }

    /// Those that go are told of to who asks for them later: the newest of all, and of those that a
    /// session has not acknowledged.
    private func noteMissed(through last: Int64, most: Int64, seenSince date: Date) throws {
        let oldest = try Int64.fetchOne(
            database,
            sql: "SELECT id FROM event WHERE id <= ? ORDER BY id LIMIT 1",
            arguments: [last]
        )
        guard oldest != nil else { return }
        try set("\(last)", for: Self.missedName)
        try database.execute(
            sql: """
                UPDATE session SET missedUpTo = MAX(missedUpTo, COALESCE((
                    SELECT MAX(id) FROM event
                    WHERE event.session = session.identifier AND id > session.acknowledged
                        AND id <= ?1 AND (id <= ?2 OR session.seenAt < ?3)
                ), 0))
                """,
            arguments: [last, most, date.timeIntervalSince1970]
        )
    }

    private static let missedName = "missed-events"

    /// The newest event that may not be kept any more, of all or of a session; 0 where all are.
    package func missedEvents(of session: String? = nil) throws -> Int64 {
        if let session {
            let missed = try Int64.fetchOne(
                database,
                sql: "SELECT missedUpTo FROM session WHERE identifier = ?",
                arguments: [session]
            )
            if let missed { return missed }
        }
        return try setting(Self.missedName).flatMap { Int64($0) } ?? 0
    }

    /// The next event gets a number above that one.
    func continueEvents(above id: Int64) throws {
        guard id > (try lastEvent()) else { return }
        try database.execute(
            sql: """
                DELETE FROM sqlite_sequence WHERE name = 'event';
                INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?)
                """,
            arguments: [id]
        )
    }

    static func event(_ row: Row) -> WireEvent? {
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
        event.problem = value(row["problem"])
        switch kind {
        case .removed: event.removed = value(row["detail"])
        case .settings: event.settings = value(row["detail"])
        default: break
        }
        return event
    }
}
