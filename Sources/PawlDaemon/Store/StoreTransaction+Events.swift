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
                    totalBytes, problem) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        let tellsBytes = kind != .added && kind != .started && kind != .changed
        try statement.execute(
            arguments: [
                kind.rawValue, download.id, download.name, download.session,
                now.timeIntervalSince1970, kind == .finished ? download.path : nil,
                tellsBytes ? download.completedBytes : nil,
                tellsBytes ? download.totalBytes : nil,
                kind == .failed || kind == .retrying ? Self.text(download.problem) : nil,
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

    /// Forgets all but the newest, and what a session has not acknowledged.
    package func prune(keeping count: Int64) throws {
        try database.execute(
            sql: """
                DELETE FROM event WHERE id <= ? AND NOT EXISTS (
                    SELECT 1 FROM session
                    WHERE identifier = event.session AND acknowledged < event.id
                )
                """,
            arguments: [try lastEvent() - count]
        )
    }

    private static func event(_ row: Row) -> WireEvent? {
        guard let kind = WireEvent.Kind(rawValue: row["kind"]) else { return nil }
        let at: Double = row["at"]
        var event = WireEvent(
            id: row["id"],
            kind: kind,
            download: row["download"],
            name: row["name"],
            at: Date(timeIntervalSince1970: at)
        )
        event.session = row["session"]
        event.path = row["path"]
        event.completedBytes = row["completedBytes"]
        event.totalBytes = row["totalBytes"]
        event.problem = value(row["problem"])
        return event
    }
}
