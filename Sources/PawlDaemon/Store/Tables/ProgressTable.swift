internal import struct FoundationEssentials.Date
package import PawlWire

/// The progress of running downloads for other nodes, while somebody reads it there.
///
/// Only a database that several daemons may use has these tables. They need not survive a crash.
package struct ProgressTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// The progress of a running download.
    package struct Row: Sendable, Hashable {
        package var session: String?
        package var progress: WireProgress.Row

        package init(session: String?, _ progress: WireProgress.Row) {
            (self.session, self.progress) = (session, progress)
        }
    }

    /// The time after which a node counts as one that reads no longer, in seconds.
    package static let readingTime: Double = 10
    /// The time after which progress counts as old, in seconds.
    private static let freshTime: Double = 5
    /// The time after which the progress of any node is removed, in seconds.
    private static let memory: Double = 60

    private var time: Double { database.now.timeIntervalSince1970 }

    // MARK: - Readers

    /// Records that somebody reads the progress of other nodes on this one.
    package func noteReader() throws {
        guard let node = database.node else { return }
        try makeUndurable()
        try database.run(
            """
            INSERT INTO progressReader (node, until) VALUES (?, ?)
            ON CONFLICT (node) DO UPDATE SET until = excluded.until
            """,
            [node.id, time + Self.readingTime]
        )
    }

    /// Whether somebody reads the progress of this node on another one.
    package func isRead() throws -> Bool {
        guard let node = database.node else { return false }
        let reader: Int64? = try database.value(
            "SELECT node FROM progressReader WHERE node <> ? AND until > ? LIMIT 1",
            [node.id, time]
        )
        return reader != nil
    }

    // MARK: - Progress

    /// Replaces the progress of the downloads that run on this node.
    package func set(_ rows: [Row]) throws {
        guard let node = database.node else { return }
        try makeUndurable()
        try database.run(
            "DELETE FROM progress WHERE node = ? AND download <> ALL(CAST(? AS bigint[])) OR at < ?",
            [node.id, OwnershipTable.list(rows.map(\.progress.id)), time - Self.memory]
        )
        // In one order, so that no two transactions wait for each other.
        for row in rows.sorted(by: { $0.progress.id < $1.progress.id }) {
            try database.run(
                """
                INSERT INTO progress (download, node, session, row, at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (download) DO UPDATE SET node = excluded.node,
                    session = excluded.session, row = excluded.row, at = excluded.at
                """,
                [
                    row.progress.id, node.id, row.session, try ColumnCoding.text(row.progress),
                    time,
                ]
            )
        }
    }

    /// Returns the progress of the downloads that run on other nodes.
    package func ofOthers() throws -> [Row] {
        guard let node = database.node else { return [] }
        return try database.rows(
            "SELECT session, row FROM progress WHERE node <> ? AND at > ? ORDER BY download",
            [node.id, time - Self.freshTime]
        ).compactMap { row in
            // Only a newer version writes another form.
            guard let progress: WireProgress.Row = ColumnCoding.value(try row["row"]) else {
                return nil
            }
            return Row(session: try row["session"], progress)
        }
    }

    /// Lets the commit not wait for the disk.
    private func makeUndurable() throws {
        try database.run("SET LOCAL synchronous_commit = off")
    }
}
