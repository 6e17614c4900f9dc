package import FoundationEssentials
internal import PawlCore
package import PawlWire

/// Downloads and feeds that were removed a moment ago, so that a removal can be undone.
package struct RemovedTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// The columns of a download that are columns here, too; all others are in `columns`, as JSON.
    private static let ownColumns = ["session", "owner"]

    /// Keeps a download that is about to be removed, with its request and the record of its files.
    ///
    /// - Parameters:
    ///   - removal: The number of the removal, which is the same for all its downloads.
    ///   - remover: Who removes it.
    ///   - date: The time of the removal.
    package func keep(
        _ download: Int64,
        removal: Int64,
        by remover: DownloadOwner,
        at date: Date
    ) throws {
        let names = DownloadRows(database).columns
        let row = try database.row(
            "SELECT \(names.joined(separator: ", ")) FROM download WHERE id = ?",
            [download]
        )
        guard let row else { return }
        let columns = zip(names, row.values).filter { !Self.ownColumns.contains($0.0) }
            .map { ($0, JSONValue(column: $1)) }
        let files = try WrittenFileTable(database).files(of: download)
        try database.run(
            """
            INSERT INTO removed (download, removal, remover, at, session, owner, columns,
                request, files)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                download, removal, remover.text, date.timeIntervalSince1970,
                row["session"] as String?, row["owner"] as String?,
                ColumnCoding.text(JSONValue.object(columns)),
                try RequestTable(database).request(of: download),
                ColumnCoding.text(files),
            ]
        )
    }

    /// Returns the number of the newest of some removals that are kept; `nil` if there is none.
    package func newest(of removals: UndoableRemovals = .all) throws -> Int64? {
        let (condition, parameters) = Self.condition(removals)
        let newest: [Int64?] = try Self.tables.map { table in
            try database.value("SELECT MAX(removal) FROM \(table) WHERE \(condition)", parameters)
        }
        return newest.compactMap(\.self).max()
    }

    private static func condition(
        _ removals: UndoableRemovals
    ) -> (sql: String, parameters: [(any SQLEncodable)?]) {
        switch removals {
        case .all: ("TRUE", [])
        case .of(let remover): ("remover = ?", [remover.text])
        case .nothing: ("FALSE", [])
        }
    }

    /// Returns the number of a new removal, above those of all earlier ones.
    package func nextNumber() throws -> Int64 {
        try CounterTable(database).take(1, of: .removal)
    }

    /// The tables of the kinds of things that are kept.
    private static let tables = ["removed", "removedFeed"]

    /// Forgets the downloads of some removals.
    package func forgetDownloads(of removals: UndoableRemovals) throws {
        let (condition, parameters) = Self.condition(removals)
        try database.run("DELETE FROM removed WHERE \(condition)", parameters)
    }

    /// Removes a session from the downloads and feeds that name it.
    func forget(session: String) throws {
        try database.run("UPDATE removed SET session = NULL WHERE session = ?", [session])
        try FeedTable(database).forget(session: session, in: "removedFeed")
    }

    /// Forgets all removals.
    package func forgetAll() throws {
        for table in Self.tables { try database.run("DELETE FROM \(table)") }
    }

    /// Returns the downloads of a removal.
    package func downloads(of removal: Int64) throws -> [Int64] {
        try database.values("SELECT download FROM removed WHERE removal = ? ORDER BY 1", [removal])
    }

    /// Returns the owner of a removed download.
    package func owner(of download: Int64) throws -> DownloadOwner? {
        let text: String? = try database.value(
            "SELECT owner FROM removed WHERE download = ?",
            [download]
        )
        return text.map(ColumnCoding.owner)
    }

    /// Puts a download back into the list, and returns it; `nil` if it is not kept.
    package func restore(_ download: Int64) throws -> WireDownload? {
        let row = try database.row("SELECT * FROM removed WHERE download = ?", [download])
        guard let row, let columns: JSONValue = ColumnCoding.value(try row["columns"]),
            case .members(var members) = columns
        else { return nil }
        // An earlier version has put the own columns there, too.
        let known = DownloadRows(database).columns
        members.removeAll { !known.contains($0.name) || Self.ownColumns.contains($0.name) }
        // Another download may have taken its GID meanwhile.
        if let gid = columns["gid"], case .text(let text) = gid,
            try GIDTable(database).download(of: text) != nil
        {
            members.removeAll { $0.name == "gid" }
        }
        let own = Self.ownColumns.filter { row.ifValid($0) as String? != nil }
        let names = members.map(\.name) + own
        try database.run(
            """
            INSERT INTO download (\(names.joined(separator: ", ")))
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """,
            members.map(\.value.columnValue) + own.map { try row[$0] as String },
            isKept: false
        )
        try OwnershipTable(database).releaseFromLostNode(download)
        if let request: [UInt8] = try row["request"] {
            try RequestTable(database).set(RequestTable.Entry(body: request), of: download)
        }
        let files: [WrittenFile] = ColumnCoding.value(try row["files"]) ?? []
        for file in files { try WrittenFileTable(database).record(file, of: download) }
        try database.run("DELETE FROM removed WHERE download = ?", [download])
        return try DownloadRows(database).find(download)
    }

    /// Changes a removed download as if it were in the list; does nothing if it is not kept.
    package func update(
        _ download: Int64,
        _ change: (inout WireDownload) throws -> Void
    ) throws {
        let kept = try database.row(
            "SELECT removal, remover, at FROM removed WHERE download = ?",
            [download]
        )
        guard let kept, var row = try restore(download) else { return }
        try change(&row)
        try DownloadRows(database).save(row)
        try keep(
            download,
            removal: try kept["removal"],
            by: ColumnCoding.owner(try kept["remover"]),
            at: Date(timeIntervalSince1970: try kept["at"])
        )
        try DownloadRows(database).delete(download)
    }

    /// Deletes what was removed before a time; returns the time of the oldest removal that is kept.
    package func expire(before date: Date) throws -> Date? {
        let oldest: [Double?] = try Self.tables.map { table in
            // The clock may have been set back.
            try database.run(
                "DELETE FROM \(table) WHERE at < ?1 OR at > ?1 + 3600",
                [date.timeIntervalSince1970]
            )
            return try database.value("SELECT MIN(at) FROM \(table)")
        }
        return ColumnCoding.date(oldest.compactMap(\.self).min())
    }

    // MARK: - Feeds

    /// Keeps a feed that is about to be removed, with the record of its items; it need not be
    /// readable.
    package func keep(
        feed: Int64,
        removal: Int64,
        by remover: DownloadOwner,
        at date: Date
    ) throws {
        try database.run(
            """
            INSERT INTO removedFeed (id, removal, remover, at, \(Self.feedColumns))
            SELECT id, ?, ?, ?, \(Self.feedColumns) FROM feed WHERE id = ?
            """,
            [removal, remover.text, date.timeIntervalSince1970, feed]
        )
        try database.run(
            """
            INSERT INTO removedFeedItem (feed, key, seenAt)
            SELECT feed, key, seenAt FROM feedItem WHERE feed = ?
            """,
            [feed]
        )
    }

    private static let feedColumns = "name, owner, createdAt, nextCheck, request, state"

    /// Returns the feeds of a removal.
    package func feeds(of removal: Int64) throws -> [Int64] {
        try database.values("SELECT id FROM removedFeed WHERE removal = ? ORDER BY 1", [removal])
    }

    /// Returns the owner of a removed feed.
    package func owner(ofFeed feed: Int64) throws -> DownloadOwner? {
        let text: String? = try database.value(
            "SELECT owner FROM removedFeed WHERE id = ?",
            [feed]
        )
        return text.map(ColumnCoding.owner)
    }

    /// Puts a feed back with the record of its items; returns whether it was kept.
    ///
    /// If another feed has got its name meanwhile, its name gets a number.
    package func restore(feed: Int64) throws -> Bool {
        let name: String? = try database.value(
            "SELECT name FROM removedFeed WHERE id = ?",
            [feed]
        )
        guard let name else { return false }
        let free = FeedName.firstUnused(name, try FeedTable(database).names())
        try database.run("UPDATE removedFeed SET name = ? WHERE id = ?", [free, feed])
        try database.run(
            """
            INSERT INTO feed (id, \(Self.feedColumns))
            SELECT id, \(Self.feedColumns) FROM removedFeed WHERE id = ?
            """,
            [feed]
        )
        try database.run(
            """
            INSERT INTO feedItem (feed, key, seenAt)
            SELECT feed, key, seenAt FROM removedFeedItem WHERE feed = ?
            """,
            [feed]
        )
        try database.run("DELETE FROM removedFeed WHERE id = ?", [feed])
        return true
    }
}

extension JSONValue {
    /// The value of a column, none of which contains bytes.
    fileprivate init(column: SQLValue) {
        switch column {
        case .integer(let number): self = .number(Int(number))
        case .real(let number): self = .decimal(number)
        case .text(let text): self = .text(text)
        case .null, .bytes: self = .null
        }
    }

    fileprivate var columnValue: (any SQLEncodable)? {
        switch self {
        case .number(let number): number
        case .decimal(let number): number
        case .text(let text): text
        case .null, .truth, .list, .members: nil
        }
    }
}
