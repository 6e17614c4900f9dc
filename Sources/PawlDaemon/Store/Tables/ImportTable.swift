package import struct FoundationEssentials.Date

/// The lists that are imported: how far each is, so that the same list continues there.
package struct ImportTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// How far the import of a list is.
    package struct Entry: Sendable, Hashable {
        /// The last line that is done; 0 if none is.
        package var line: Int64 = 0
        /// The first line of the last part that was added; 0 if there is none.
        package var firstLine: Int64 = 0
        /// The checksum of the last part, without its secrets.
        package var fingerprint: Int64 = 0
        /// The number of downloads that were added.
        package var added: Int64 = 0
        /// The number of lines that were refused.
        package var refused: Int64 = 0

        package init() {}
    }

    /// Returns how far a list is; `nil` if nothing is known of it.
    package func find(_ key: String) throws -> Entry? {
        let row = try database.row(
            """
            SELECT line, firstLine, fingerprint, added, refused FROM import
            WHERE key = ?\(database.rowLock)
            """,
            [key]
        )
        guard let row else { return nil }
        var entry = Entry()
        entry.line = try row[0]
        entry.firstLine = try row[1]
        entry.fingerprint = try row[2]
        entry.added = try row[3]
        entry.refused = try row[4]
        return entry
    }

    /// Returns how far a list is, and lets other transactions for it wait until the end of this one.
    package func begin(_ key: String, at now: Date) throws -> Entry {
        // A row that does not exist could not be locked.
        try database.run(
            """
            INSERT INTO import (key, line, firstLine, fingerprint, added, refused, at)
            VALUES (?, 0, 0, 0, 0, 0, ?) ON CONFLICT (key) DO NOTHING
            """,
            [key, now.timeIntervalSince1970]
        )
        return try find(key) ?? Entry()
    }

    /// Records how far a list is, and forgets the lists of which nothing was added for a day.
    package func save(_ entry: Entry, for key: String, at now: Date) throws {
        try database.run(
            """
            INSERT INTO import (key, line, firstLine, fingerprint, added, refused, at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET line = excluded.line,
                firstLine = excluded.firstLine, fingerprint = excluded.fingerprint,
                added = excluded.added, refused = excluded.refused, at = excluded.at
            """,
            [
                key, entry.line, entry.firstLine, entry.fingerprint, entry.added, entry.refused,
                now.timeIntervalSince1970,
            ]
        )
        try database.run("DELETE FROM import WHERE at < ?", [now.timeIntervalSince1970 - 86_400])
    }
}
