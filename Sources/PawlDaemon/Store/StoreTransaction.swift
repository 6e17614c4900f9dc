internal import FoundationEssentials
internal import GRDB
internal import PawlCore
package import PawlWire

/// What is done to the store within one transaction.
package struct StoreTransaction {
    let database: Database

    /// Whether a commit returns only when it is on the disk (`PRAGMA synchronous`: FULL is 2).
    package func waitsForTheDisk() throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2
    }

    // MARK: - Downloads

    /// Adds a row; returns its id.
    package func insert(_ download: WireDownload, request: [UInt8]) throws -> Int64 {
        let insertion = try database.cachedStatement(
            sql: """
                INSERT INTO download (state, name, url, destination, priority, position, session,
                    notBefore, createdAt, taskIdentifier, taskDescription, mirrors, owner)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        try insertion.execute(
            arguments: [
                download.state.rawValue, download.name, download.url, download.destination,
                download.priority.priority.rawValue, download.position, download.session,
                download.notBefore?.timeIntervalSince1970,
                download.createdAt.timeIntervalSince1970, download.taskIdentifier,
                download.taskDescription, Self.text(download.mirrors),
                (download.owner ?? .user).text,
            ]
        )
        let id = database.lastInsertedRowID
        try setRequest(request, of: id)
        return id
    }

    /// Writes what can change of a row.
    package func save(_ download: WireDownload) throws {
        let update = try database.cachedStatement(
            sql: """
                UPDATE download SET state = ?, name = ?, url = ?, path = ?, completedBytes = ?,
                    totalBytes = ?, priority = ?, position = ?, notBefore = ?, failures = ?,
                    problem = ?, endedAt = ?, response = ?, metrics = ?, taskDescription = ?
                WHERE id = ?
                """
        )
        try update.execute(
            arguments: [
                download.state.rawValue, download.name, download.url, download.path,
                download.completedBytes, download.totalBytes,
                download.priority.priority.rawValue, download.position,
                download.notBefore?.timeIntervalSince1970, download.failures ?? 0,
                Self.text(download.problem), download.endedAt?.timeIntervalSince1970,
                Self.text(download.response), Self.text(download.metrics),
                download.taskDescription, download.id,
            ]
        )
    }

    package func delete(_ id: Int64) throws {
        try database.cachedStatement(sql: "DELETE FROM download WHERE id = ?")
            .execute(arguments: [id])
    }

    package func download(_ id: Int64) throws -> WireDownload? {
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM download WHERE id = ?"
        )
        return try Row.fetchOne(statement, arguments: [id]).map(Self.download)
    }

    /// All that have not ended, by id.
    package func unfinished() throws -> [WireDownload] {
        try Row.fetchAll(database, sql: "SELECT * FROM download WHERE endedAt IS NULL ORDER BY id")
            .map(Self.download)
    }

    package func counts(of session: String? = nil) throws -> [String: Int] {
        let rows =
            if let session {
                try Row.fetchAll(
                    database,
                    sql: "SELECT state, COUNT(*) FROM download WHERE session = ? GROUP BY state",
                    arguments: [session]
                )
            } else {
                try Row.fetchAll(
                    database,
                    sql: "SELECT state, count FROM tally WHERE count > 0"
                )
            }
        return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: +)
    }

    // MARK: - Starts

    /// A run begins; until it has ended, or has come further than before, it counts.
    package func countStart(of id: Int64) throws {
        try database.cachedStatement(sql: "UPDATE download SET starts = starts + 1 WHERE id = ?")
            .execute(arguments: [id])
    }

    package func forgetStarts(of id: Int64) throws {
        try database.cachedStatement(
            sql: "UPDATE download SET starts = 0 WHERE id = ? AND starts > 0"
        ).execute(arguments: [id])
    }

    /// Those that began so often without an end: they may be what ends the daemon.
    package func suspects(starts: Int) throws -> Set<Int64> {
        try Int64.fetchSet(
            database,
            sql: "SELECT id FROM download WHERE endedAt IS NULL AND starts >= ?",
            arguments: [starts]
        )
    }

    // MARK: - Requests

    /// What was asked for, with its secrets.
    package func request(of id: Int64) throws -> [UInt8]? {
        let statement = try database.cachedStatement(
            sql: "SELECT body FROM request WHERE download = ?"
        )
        return try Data.fetchOne(statement, arguments: [id]).map(Array.init)
    }

    package func setRequest(_ body: [UInt8], of id: Int64) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO request (download, body) VALUES (?, ?)
                ON CONFLICT (download) DO UPDATE SET body = excluded.body
                """
        )
        try statement.execute(arguments: [id, Data(body)])
    }

    /// The folder that nothing of it may leave; nil where there is none.
    package func root(of id: Int64) throws -> String? {
        let statement = try database.cachedStatement(
            sql: "SELECT COALESCE(confinedTo, \(Self.rootOfRequest)) FROM download WHERE id = ?"
        )
        return try Row.fetchOne(statement, arguments: [id])?[0]
    }

    /// One that nobody can read says nothing.
    static let rootOfRequest = """
        (SELECT CASE WHEN json_valid(CAST(body AS TEXT)) THEN CAST(body AS TEXT) ->> '$.confinedTo' END
            FROM request WHERE request.download = download.id)
        """

    /// Nothing is left of its secrets.
    package func forgetRequest(of id: Int64) throws {
        try database.cachedStatement(
            sql: "UPDATE download SET confinedTo = \(Self.rootOfRequest) WHERE id = ?"
        ).execute(arguments: [id])
        try database.cachedStatement(sql: "DELETE FROM request WHERE download = ?")
            .execute(arguments: [id])
    }

    // MARK: - Forms

    static func download(_ row: Row) -> WireDownload {
        let created: Double = row["createdAt"]
        var download = WireDownload(
            id: row["id"],
            // A state of a newer version is none that this one could go on with.
            state: TaskState(rawValue: row["state"]) ?? .failed,
            name: row["name"],
            url: row["url"],
            createdAt: Date(timeIntervalSince1970: created)
        )
        // One of a newer version is nobody of ours.
        let owner: String = row["owner"]
        download.owner = DownloadOwner(owner) ?? .token(owner)
        download.mirrors = value(row["mirrors"])
        download.destination = row["destination"]
        download.path = row["path"]
        download.completedBytes = row["completedBytes"]
        download.totalBytes = row["totalBytes"]
        download.priority = WirePriority(DownloadPriority(rawValue: row["priority"]) ?? .normal)
        download.position = row["position"]
        download.session = row["session"]
        download.notBefore = date(row["notBefore"])
        let failures: Int = row["failures"]
        download.failures = failures == 0 ? nil : failures
        download.problem = value(row["problem"])
        download.endedAt = date(row["endedAt"])
        download.taskIdentifier = row["taskIdentifier"]
        download.taskDescription = row["taskDescription"]
        download.response = value(row["response"])
        download.limitBytesPerSecond = row["limitBytesPerSecond"]
        download.metrics = value(row["metrics"])
        return download
    }

    static func date(_ seconds: Double?) -> Date? {
        seconds.map { Date(timeIntervalSince1970: $0) }
    }

    static func text(_ value: (some Encodable)?) throws -> String? {
        try value.map { String(decoding: try WireJSON.encode($0), as: UTF8.self) }
    }

    /// What cannot be read says nothing; the row is worth more than that.
    static func value<Value: Decodable>(_ text: String?) -> Value? {
        text.flatMap { try? WireJSON.decode(Value.self, from: $0.utf8) }
    }
}
