package import FoundationEssentials
package import PawlCore
package import PawlWire

/// The feeds, and their items that were seen.
package struct FeedTable {
    private let database: any StoreConnection

    /// The maximum number of feeds.
    static let most = 1000

    init(_ database: any StoreConnection) { self.database = database }

    /// A feed in the table.
    package struct Row: Sendable, Hashable {
        package var id: Int64
        package var name: String
        package var owner: DownloadOwner
        package var createdAt: Date
        /// The time of the next check; `nil` if the feed is checked only on request.
        package var nextCheck: Date?
        /// The request that added the feed, with its changes and its secrets.
        package var request: NewFeed
        package var state: FeedState

        package var rules: FeedRules { request.rules ?? FeedRules() }

        /// Creates a new feed, which is checked at once.
        package init(name: String, owner: DownloadOwner, request: NewFeed, at now: Date) {
            (self.name, self.owner, self.request) = (name, owner, request)
            (id, createdAt, state) = (0, now, FeedState())
            nextCheck = request.rules?.everySeconds == 0 ? nil : now
        }

        init?(_ row: StoreRow) {
            // In a damaged store, any value may have the wrong type.
            guard let id: Int64 = row.ifValid("id"),
                let name: String = row.ifValid("name"),
                let owner: String = row.ifValid("owner"),
                let body: [UInt8] = row.ifValid("request"),
                let createdAt: Double = row.ifValid("createdAt"),
                // A newer version may have written it.
                let request = try? WireJSON.decode(NewFeed.self, from: body)
            else { return nil }
            (self.id, self.name, self.request) = (id, name, request)
            self.owner = ColumnCoding.owner(owner)
            self.createdAt = Date(timeIntervalSince1970: createdAt)
            nextCheck = ColumnCoding.date(row.ifValid("nextCheck"))
            self.state = ColumnCoding.value(row.ifValid("state")) ?? FeedState()
        }
    }

    /// A feed whose request cannot be decoded: it is damaged, or of a newer version.
    package struct Unreadable: Sendable, Hashable {
        package var id: Int64
        package var name: String
        package var owner: DownloadOwner
        package var createdAt: Date

        fileprivate init?(_ row: StoreRow) {
            guard let id: Int64 = row.ifValid("id") else { return nil }
            self.id = id
            name = row.ifValid("name") ?? "feed \(id)"
            owner = FeedTable.owner(row)
            let seconds: Double? = row.ifValid("createdAt")
            createdAt = Date(timeIntervalSince1970: seconds ?? 0)
        }
    }

    /// All feeds, sorted by name.
    package struct List: Sendable, Hashable {
        package var feeds: [Row] = []
        package var unreadable: [Unreadable] = []
    }

    /// Adds a feed, and returns its id.
    package func insert(_ feed: Row) throws -> Int64 {
        database.noteChange(of: .feeds)
        return try database.insert(
            """
            INSERT INTO feed (name, owner, createdAt, nextCheck, request, state)
            VALUES (?, ?, ?, ?, ?, ?)
            RETURNING id
            """,
            [
                feed.name, feed.owner.text, feed.createdAt.timeIntervalSince1970,
                feed.nextCheck?.timeIntervalSince1970, try WireJSON.encode(feed.request),
                ColumnCoding.text(feed.state),
            ]
        )
    }

    package func save(_ feed: Row) throws {
        try database.run(
            """
            UPDATE feed SET name = ?, owner = ?, nextCheck = ?, request = ?, state = ? WHERE id = ?
            """,
            [
                feed.name, feed.owner.text, feed.nextCheck?.timeIntervalSince1970,
                try WireJSON.encode(feed.request), ColumnCoding.text(feed.state), feed.id,
            ]
        )
        database.noteChange(of: .feeds)
    }

    /// Removes a feed with the record of its items.
    package func delete(_ id: Int64) throws {
        try database.run("DELETE FROM feed WHERE id = ?", [id])
        database.noteChange(of: .feeds)
    }

    package func find(_ id: Int64) throws -> Row? {
        let sql = "SELECT * FROM feed WHERE id = ?\(database.rowLock)"
        return try database.row(sql, [id]).flatMap(Row.init)
    }

    /// Returns a feed as clients see it, even if it cannot be decoded; `nil` if there is none.
    func shown(_ id: Int64) throws -> WireFeed? {
        guard let row = try database.row("SELECT * FROM feed WHERE id = ?", [id]) else {
            return nil
        }
        return Row(row).map { WireFeed($0) } ?? Unreadable(row).map { WireFeed($0) }
    }

    /// Returns the owner of a feed, even if the feed cannot be decoded; `nil` if there is none.
    package func owner(of id: Int64) throws -> DownloadOwner? {
        try database.row("SELECT owner FROM feed WHERE id = ?", [id]).map(Self.owner)
    }

    /// An owner that is lost is the user, who may do everything.
    private static func owner(_ row: StoreRow) -> DownloadOwner {
        (row.ifValid("owner") as String?).map(ColumnCoding.owner) ?? .user
    }

    /// Returns all feeds that can be decoded, sorted by name.
    package func all() throws -> [Row] { try list().feeds }

    /// Returns the names of all feeds, even of those that cannot be decoded.
    func names() throws -> Set<ExactText> {
        let names: [String?] = try database.rows("SELECT name FROM feed") { $0.ifValid("name") }
        return Set(names.compactMap(\.self).map { ExactText($0) })
    }

    package func list() throws -> List {
        var list = List()
        for row in try database.rows("SELECT * FROM feed ORDER BY name") {
            if let feed = Row(row) {
                list.feeds.append(feed)
            } else if let feed = Unreadable(row) {
                list.unreadable.append(feed)
            }
        }
        return list
    }

    /// Removes a session from the feeds that name it.
    ///
    /// `table`: `feed`, or one with its columns.
    func forget(session: String, in table: String = "feed") throws {
        for row in try database.rows("SELECT * FROM \(table)") {
            guard var feed = Row(row),
                feed.request.download.session?.isExactly(session) == true
            else { continue }
            feed.request.download.session = nil
            try database.run(
                "UPDATE \(table) SET request = ? WHERE id = ?",
                [try WireJSON.encode(feed.request), feed.id]
            )
        }
    }

    // MARK: - Items

    /// Returns the keys of the items that were seen, with the times when they were seen last.
    package func items(of feed: Int64) throws -> [ExactText: Date] {
        let rows = try database.rows("SELECT key, seenAt FROM feedItem WHERE feed = ?", [feed])
        var items: [ExactText: Date] = [:]
        for row in rows {
            // In a damaged store, any value may have the wrong type.
            guard let key: String = row.ifValid("key"),
                let seconds: Double = row.ifValid("seenAt")
            else { continue }
            items[ExactText(key)] = Date(timeIntervalSince1970: seconds)
        }
        return items
    }

    /// Returns which of the keys are those of items that were seen.
    package func known(
        _ keys: some Sequence<ExactText>,
        of feed: Int64
    ) throws -> Set<ExactText> {
        let known = try keys.filter { key in
            let sql = "SELECT 1 FROM feedItem WHERE feed = ? AND key = ?"
            return try database.row(sql, [feed, key.text]) != nil
        }
        return Set(known)
    }

    /// Records items as seen.
    package func see(_ keys: some Sequence<ExactText>, of feed: Int64, at now: Date) throws {
        for key in keys {
            try database.run(
                """
                INSERT INTO feedItem (feed, key, seenAt) VALUES (?, ?, ?)
                ON CONFLICT (feed, key) DO UPDATE SET seenAt = excluded.seenAt
                """,
                [feed, key.text, now.timeIntervalSince1970]
            )
        }
    }

    package func forget(_ keys: some Sequence<ExactText>, of feed: Int64) throws {
        for key in keys {
            try database.run("DELETE FROM feedItem WHERE feed = ? AND key = ?", [feed, key.text])
        }
    }
}
