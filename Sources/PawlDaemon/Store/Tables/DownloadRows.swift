package import struct FoundationEssentials.Date
internal import PawlCore
package import PawlWire

/// The rows of the downloads.
package struct DownloadRows {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// All columns of the table.
    package static let columns = [
        "id", "state", "name", "url", "destination", "path", "completedBytes", "totalBytes",
        "priority", "position", "session", "notBefore", "failures", "problem", "createdAt",
        "endedAt", "starts", "taskIdentifier", "taskDescription", "response",
        "limitBytesPerSecond", "metrics", "confinedTo", "mirrors", "owner", "wasThere",
        "retryWait", "outages", "gid", "label",
    ]

    /// The columns that the table has besides, if several daemons may share the database.
    package static let fleetColumns = ["node", "epoch", "home", "wasRunning", "restartOf"]

    /// All columns of the table in this database.
    var columns: [String] {
        database.dialect.isShared ? Self.columns + Self.fleetColumns : Self.columns
    }

    // MARK: - Rows

    /// Adds a row and its request; returns the id of the row.
    package func insert(_ download: WireDownload, request: RequestTable.Entry) throws -> Int64 {
        try insert([(download, request)])[0]
    }

    /// Adds rows and their requests; returns the ids of the rows, in ascending order.
    package func insert(
        _ new: [(WireDownload, RequestTable.Entry)]
    ) throws -> [Int64] {
        let ids: [Int64] = try database.values(database.dialect.newDownloads, [new.count])
        guard ids.count == new.count else { throw WrongColumnType(column: "id") }
        guard !ids.isEmpty else { return [] }
        let rows = try zip(ids, new).map { id, new in try newRow(new.0, id) }
        try database.fill("download", newColumns, rows)
        try RequestTable(database).add(zip(ids, new.map(\.1)))
        return ids
    }

    /// The columns of a new row; the others have defaults.
    private var newColumns: String {
        """
        id, state, name, url, destination, priority, position, session, notBefore, createdAt,
        taskIdentifier, taskDescription, mirrors, owner, label, limitBytesPerSecond
        """ + (database.dialect.isShared ? ", home" : "")
    }

    private func newRow(_ download: WireDownload, _ id: Int64) throws -> [SQLValue] {
        // Only the node with the disk may take a download that becomes a file.
        let isObject = ObjectAddress.isOne(download.destination)
        let home = isObject ? "" : database.node?.name ?? ""
        let values = try [SQLValue](
            parameters: [
                id, download.state.rawValue, download.name, download.url, download.destination,
                download.priority.priority.rawValue, download.position, download.session,
                download.notBefore?.timeIntervalSince1970,
                download.createdAt.timeIntervalSince1970, download.taskIdentifier,
                download.taskDescription, ColumnCoding.text(download.mirrors),
                (download.owner ?? .user).text, download.label, download.limitBytesPerSecond,
            ]
        )
        return database.dialect.isShared ? values + [.text(home)] : values
    }

    /// Writes the columns of a row that can change.
    package func save(_ download: WireDownload) throws {
        try database.run(
            """
            UPDATE download SET state = ?, name = ?, url = ?, path = ?, completedBytes = ?,
                totalBytes = ?, priority = ?, position = ?, notBefore = ?, failures = ?,
                problem = ?, endedAt = ?, response = ?, metrics = ?, taskDescription = ?,
                label = ?
            WHERE id = ?
            """,
            [
                download.state.rawValue, download.name, download.url, download.path,
                download.completedBytes, download.totalBytes,
                download.priority.priority.rawValue, download.position,
                download.notBefore?.timeIntervalSince1970, download.failures ?? 0,
                ColumnCoding.text(download.problem), download.endedAt?.timeIntervalSince1970,
                ColumnCoding.text(download.response), ColumnCoding.text(download.metrics),
                download.taskDescription, download.label, download.id,
            ]
        )
    }

    package func delete(_ id: Int64) throws {
        try database.run("DELETE FROM download WHERE id = ?", [id])
    }

    /// Sets the download's own rate limit; `nil` means no limit.
    package func setLimit(_ bytesPerSecond: Int64?, of id: Int64) throws {
        try database.run(
            "UPDATE download SET limitBytesPerSecond = ? WHERE id = ?",
            [bytesPerSecond, id]
        )
    }

    /// Sets the folder that the file of an ended download must not leave, if it is confined to one.
    package func setConfinement(_ folder: String, of id: Int64) throws {
        try database.run(
            "UPDATE download SET confinedTo = ? WHERE id = ? AND confinedTo IS NOT NULL",
            [folder, id]
        )
    }

    package func setDestination(_ path: String, of id: Int64) throws {
        try database.run("UPDATE download SET destination = ? WHERE id = ?", [path, id])
    }

    /// Whether the finished file existed before the download.
    package func wasAlreadyThere(_ id: Int64) throws -> Bool {
        try database.value("SELECT wasThere FROM download WHERE id = ?", [id]) ?? false
    }

    package func setWasAlreadyThere(_ wasAlreadyThere: Bool, of id: Int64) throws {
        try database.run("UPDATE download SET wasThere = ? WHERE id = ?", [wasAlreadyThere, id])
    }

    // MARK: - Finding

    package func find(_ id: Int64) throws -> WireDownload? {
        let sql = "SELECT * FROM download WHERE id = ?\(database.rowLock)"
        return try database.row(sql, [id]).map(Self.download)
    }

    /// Returns the downloads with these ids, by id.
    func find(_ ids: ClosedRange<Int64>) throws -> [WireDownload] {
        try database.rows(
            "SELECT * FROM download WHERE id BETWEEN ? AND ? ORDER BY id\(database.rowLock)",
            [ids.lowerBound, ids.upperBound],
            as: Self.download
        )
    }

    /// Returns the destinations of the downloads that save to files of their own names in a folder,
    /// or in a folder within it.
    func destinations(in folder: String) throws -> Set<ExactText> {
        let shown = folder.asFolderPath.sanitized
        // There is no index: a check of a feed asks once, outside the queue.
        let found: [String] = try database.values(
            """
            SELECT destination FROM download
                WHERE substr(destination, 1, length(CAST(?1 AS TEXT))) = ?1
                    AND destination <> ?1
            """,
            [shown]
        )
        return Set(found.map { ExactText($0) })
    }

    /// Returns the ids of all downloads.
    package func ids() throws -> [Int64] { try database.values("SELECT id FROM download") }

    /// Returns the downloads after an id that have not ended, by id.
    package func unfinished(after id: Int64 = .min, limit: Int = .max) throws -> [WireDownload] {
        try database.rows(
            "SELECT * FROM download WHERE endedAt IS NULL AND id > ? ORDER BY id LIMIT ?",
            [id, limit],
            as: Self.download
        )
    }

    /// Returns the unfinished downloads of a priority from one download to another, by position.
    package func queue(
        _ priority: WirePriority,
        from one: WireDownload,
        to other: WireDownload
    ) throws -> [WireDownload] {
        // Rows are locked in the order of their ids everywhere, so that no two transactions wait for
        // each other.
        let found = try database.rows(
            """
            SELECT * FROM download WHERE endedAt IS NULL AND priority = ?
                AND position BETWEEN ? AND ? ORDER BY id\(database.rowLock)
            """,
            [
                priority.priority.rawValue, min(one.position, other.position),
                max(one.position, other.position),
            ],
            as: Self.download
        )
        return found.sorted { ($0.position, $0.id) < ($1.position, $1.id) }
    }

    /// Returns the ended downloads that the history does not keep, the oldest first.
    ///
    /// A download whose end its session has not acknowledged is kept.
    ///
    /// - Parameters:
    ///   - count: The number of the newest ended downloads that are kept.
    ///   - date: The time since which a download must have ended to be kept.
    ///   - newest: The time before which a download must have ended not to be kept.
    ///   - limit: The maximum number of downloads that are returned.
    package func expired(
        keeping count: Int,
        endedSince date: Date,
        endedBefore newest: Date = .distantFuture,
        limit: Int
    ) throws -> [WireDownload] {
        let events = try EventTable(database).name()
        let beyond = try database.row(
            """
            SELECT endedAt, id FROM download WHERE endedAt IS NOT NULL
            ORDER BY endedAt DESC, id DESC LIMIT 1 OFFSET ?
            """,
            [count]
        )
        // The newest download that is not kept: because of its number, or because of its age.
        var (end, id): (Double, Int64) = (date.timeIntervalSince1970, 0)
        if let beyond {
            let first: (Double, Int64) = try (beyond[0], beyond[1])
            if first > (end, id) { (end, id) = first }
        }
        return try database.rows(
            """
            SELECT * FROM download
            WHERE endedAt IS NOT NULL AND (endedAt, id) <= (?, ?) AND endedAt < ?
                AND NOT EXISTS (
                    SELECT 1 FROM session
                    JOIN \(events) AS event ON event.download = download.id
                        AND event.session = session.identifier
                        AND event.id > session.acknowledged
                        AND event.kind IN ('finished', 'failed', 'cancelled')
                    WHERE session.identifier = download.session)
            ORDER BY endedAt, id LIMIT ?\(database.rowLock)
            """,
            [end, id, newest.timeIntervalSince1970, limit],
            as: Self.download
        )
    }

    /// Returns the number of downloads per state.
    package func counts() throws -> [String: Int] {
        // In PostgreSQL, each daemon counts in rows of its own, which may be negative.
        try Self.counts(
            database.rows(
                """
                SELECT state, CAST(SUM(count) AS BIGINT) FROM tally
                GROUP BY state HAVING SUM(count) > 0
                """
            )
        )
    }

    /// A column that puts downloads together.
    enum Group: String {
        case session, label
    }

    /// Returns the number of downloads of a session or a label, per state.
    func counts(in group: Group, _ name: String) throws -> [String: Int] {
        try Self.counts(
            database.rows(
                "SELECT state, COUNT(*) FROM download WHERE \(group.rawValue) = ? GROUP BY state",
                [name]
            )
        )
    }

    private static func counts(_ rows: [StoreRow]) throws -> [String: Int] {
        Dictionary(try rows.map { try ($0[0], $0[1]) }, uniquingKeysWith: +)
    }

    /// Returns the paths of the downloads that have not ended, or their destinations if the paths
    /// are not known.
    package func destinations() throws -> [String] {
        try database.values(
            "SELECT DISTINCT COALESCE(path, destination) FROM download WHERE endedAt IS NULL"
        )
    }

    /// Returns the highest id ever given; 0 if no download was ever added.
    func lastID() throws -> Int64 { try database.value(database.dialect.lastDownload) ?? 0 }

    // MARK: - Coding

    static func download(_ row: StoreRow) throws -> WireDownload {
        let created: Double = try row["createdAt"]
        var download = WireDownload(
            id: try row["id"],
            // This version cannot continue from a state that only a newer version knows.
            state: TaskState(rawValue: try row["state"]) ?? .failed,
            name: try row["name"],
            url: try row["url"],
            createdAt: Date(timeIntervalSince1970: created)
        )
        download.owner = ColumnCoding.owner(try row["owner"])
        download.mirrors = ColumnCoding.value(try row["mirrors"])
        download.destination = try row["destination"]
        download.path = try row["path"]
        download.completedBytes = try row["completedBytes"]
        download.totalBytes = try row["totalBytes"]
        download.priority = WirePriority(DownloadPriority(rawValue: try row["priority"]) ?? .normal)
        download.position = try row["position"]
        download.session = try row["session"]
        download.notBefore = ColumnCoding.date(try row["notBefore"])
        let failures: Int = try row["failures"]
        download.failures = failures == 0 ? nil : failures
        download.problem = ColumnCoding.value(try row["problem"])
        download.endedAt = ColumnCoding.date(try row["endedAt"])
        download.taskIdentifier = try row["taskIdentifier"]
        download.taskDescription = try row["taskDescription"]
        download.label = try row["label"]
        download.response = ColumnCoding.value(try row["response"])
        download.limitBytesPerSecond = try row["limitBytesPerSecond"]
        download.metrics = ColumnCoding.value(try row["metrics"])
        return download
    }
}
