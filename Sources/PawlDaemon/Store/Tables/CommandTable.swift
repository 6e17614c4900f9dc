package import PawlWire

/// Commands for downloads that another node has taken: columns of the table `download`.
///
/// In a database that only one daemon uses, there are none.
package struct CommandTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    // MARK: - The node with the command

    /// Records that downloads are about to be changed or removed, so that the nodes that have taken
    /// them read their rows afterwards.
    package func note(_ downloads: some Collection<Int64>) throws {
        guard database.dialect.isShared, !downloads.isEmpty else { return }
        let other: Int64? = try database.value(
            """
            SELECT id FROM download WHERE id = ANY(CAST(? AS bigint[])) AND \(elsewhere) LIMIT 1
            """,
            [OwnershipTable.list(downloads)] + own
        )
        if other != nil { database.noteChange(of: .downloads) }
    }

    /// Whether another node has taken a download.
    package func isElsewhere(_ download: Int64) throws -> Bool {
        guard database.dialect.isShared else { return false }
        let id: Int64? = try database.value(
            "SELECT id FROM download WHERE id = ? AND \(elsewhere)",
            [download] + own
        )
        return id != nil
    }

    /// Asks the nodes that have taken some downloads to start them again; those of this node are left
    /// out.
    package func restart(_ downloads: some Collection<Int64>) throws {
        guard database.dialect.isShared, !downloads.isEmpty else { return }
        try database.run(
            """
            UPDATE download SET restartOf = epoch
            WHERE id = ANY(CAST(? AS bigint[])) AND \(elsewhere)
            """,
            [OwnershipTable.list(downloads)] + own
        )
    }

    /// The condition for a row that another node has taken; `own` has its parameters.
    private var elsewhere: String {
        database.node == nil ? "node IS NOT NULL" : "node IS NOT NULL AND node <> ?"
    }

    private var own: [(any SQLEncodable)?] { database.node.map { [$0.id] } ?? [] }

    // MARK: - The node with the download

    /// A download as the commands of others have left it.
    package struct Row: Sendable {
        package var download: WireDownload
        /// Whether its run is to start again.
        package var restarts: Bool
    }

    /// Returns the rows of some downloads; those that were removed are missing.
    package func rows(of downloads: some Collection<Int64>) throws -> [Int64: Row] {
        guard database.dialect.isShared, !downloads.isEmpty else { return [:] }
        let rows = try database.rows(
            "SELECT * FROM download WHERE id = ANY(CAST(? AS bigint[]))",
            [OwnershipTable.list(downloads)]
        ) { row in
            let (epoch, restart): (Int64, Int64?) = (try row["epoch"], try row["restartOf"])
            return Row(download: try DownloadRows.download(row), restarts: restart == epoch)
        }
        return Dictionary(rows.map { ($0.download.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the removals of files that others have recorded for some downloads, and that belong to
    /// this node.
    package func removals(of downloads: some Collection<Int64>) throws -> [Intention] {
        guard database.dialect.isShared, !downloads.isEmpty else { return [] }
        let wanted = Set(downloads)
        return try IntentionTable(database).all().filter { intention in
            guard case .remove = intention.operation else { return false }
            return wanted.contains(intention.download)
        }
    }

    /// Whether the file of a download that another node runs is about to get its name or to be moved.
    package func isFinishing(_ download: Int64) throws -> Bool {
        guard database.dialect.isShared else { return false }
        let id: Int64? = try database.value(
            "SELECT id FROM intention WHERE download = ? AND kind IN ('finish', 'move') LIMIT 1",
            [download]
        )
        return id != nil
    }
}
