package import FoundationEssentials
internal import GRDB
package import PawlCore
package import PawlWire

/// The feeds, and their items that were seen.
package struct FeedTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

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

        fileprivate init?(_ row: GRDB.Row) {
            // In a damaged store, any value may have the wrong type.
            guard let id = Int64.fromDatabaseValue(row["id"] ?? .null),
                let name = String.fromDatabaseValue(row["name"] ?? .null),
                let owner = String.fromDatabaseValue(row["owner"] ?? .null),
                let body = Data.fromDatabaseValue(row["request"] ?? .null),
                let createdAt = Double.fromDatabaseValue(row["createdAt"] ?? .null),
                // A newer version may have written it.
                let request = try? WireJSON.decode(NewFeed.self, from: body)
            else { return nil }
            (self.id, self.name, self.request) = (id, name, request)
            self.owner = ColumnCoding.owner(owner)
            self.createdAt = Date(timeIntervalSince1970: createdAt)
            nextCheck = ColumnCoding.date(Double.fromDatabaseValue(row["nextCheck"] ?? .null))
            let state = String.fromDatabaseValue(row["state"] ?? .null)
            self.state = ColumnCoding.value(state) ?? FeedState()
        }
    }

    /// Adds a feed, and returns its id.
    package func insert(_ feed: Row) throws -> Int64 {
        try database.run(
            """
            INSERT INTO feed (name, owner, createdAt, nextCheck, request, state)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                feed.name, feed.owner.text, feed.createdAt.timeIntervalSince1970,
                feed.nextCheck?.timeIntervalSince1970, Data(try WireJSON.encode(feed.request)),
                ColumnCoding.text(feed.state),
            ]
        )
        return database.lastInsertedRowID
    }

    package func save(_ feed: Row) throws {
        try database.run(
            "UPDATE feed SET name = ?, nextCheck = ?, request = ?, state = ? WHERE id = ?",
            [
                feed.name, feed.nextCheck?.timeIntervalSince1970,
                Data(try WireJSON.encode(feed.request)), ColumnCoding.text(feed.state), feed.id,
            ]
        )
    }

    /// Removes a feed with the record of its items.
    package func delete(_ id: Int64) throws {
        try database.run("DELETE FROM feed WHERE id = ?", [id])
    }

    package func find(_ id: Int64) throws -> Row? {
        try database.row("SELECT * FROM feed WHERE id = ?", [id]).flatMap(Row.init)
    }

    /// Returns all feeds, sorted by name.
    package func all() throws -> [Row] {
        try database.rows("SELECT * FROM feed ORDER BY name").compactMap(Row.init)
    }

    /// Returns the ids of the feeds that have a next check, with its time, the earliest first.
    package func schedule() throws -> [(id: Int64, date: Date)] {
        try database.rows(
            "SELECT id, nextCheck FROM feed WHERE nextCheck IS NOT NULL ORDER BY nextCheck, id"
        ).map { ($0["id"], Date(timeIntervalSince1970: $0["nextCheck"])) }
    }

    // MARK: - Items

    /// Returns the keys of the items that were seen, with the times when they were seen last.
    package func items(of feed: Int64) throws -> [ExactText: Date] {
        let rows = try database.rows("SELECT key, seenAt FROM feedItem WHERE feed = ?", [feed])
        var items: [ExactText: Date] = [:]
        for row in rows {
            // In a damaged store, any value may have the wrong type.
            guard let key = String.fromDatabaseValue(row["key"] ?? .null),
                let seconds = Double.fromDatabaseValue(row["seenAt"] ?? .null)
            else { continue }
            items[ExactText(key)] = Date(timeIntervalSince1970: seconds)
        }
        return items
    }

    /// Records what was decided about the items of a feed.
    package func record(_ decision: FeedMemory.Decision, of feed: Int64, at now: Date) throws {
        for key in decision.seen {
            try database.run(
                """
                INSERT INTO feedItem VALUES (?, ?, ?)
                ON CONFLICT (feed, key) DO UPDATE SET seenAt = excluded.seenAt
                """,
                [feed, key.text, now.timeIntervalSince1970]
            )
        }
        for key in decision.forgotten {
            try database.run("DELETE FROM feedItem WHERE feed = ? AND key = ?", [feed, key.text])
        }
    }
}
