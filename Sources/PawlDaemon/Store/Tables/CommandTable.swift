package import PawlWire

/// Commands for downloads that another node has taken: columns of the table `download`.
///
/// In a database that only one daemon uses, there are none.
package struct CommandTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    // MARK: - The node with the command

    /// Records that downloads are about to be changed or removed, so that the nodes that have taken
    /// them or that have their files read them afterwards.
    package func note(_ downloads: some Collection<Int64>) throws {
        guard database.dialect.isShared, !downloads.isEmpty else { return }
        let (condition, values) = elsewhere
        let other: Int64? = try database.value(
            """
            SELECT id FROM download
            WHERE id = ANY(CAST(? AS bigint[]))
                AND (\(condition) OR home <> '' AND home <> CAST(? AS text))
            LIMIT 1
            """,
            [OwnershipTable.list(downloads)] + values + [database.node?.name]
        )
        if other != nil { database.noteChange(of: .downloads) }
    }

    /// Whether another node has taken a download.
    package func isElsewhere(_ download: Int64) throws -> Bool {
        guard database.dialect.isShared else { return false }
        let (condition, values) = elsewhere
        let id: Int64? = try database.value(
            "SELECT id FROM download WHERE id = ? AND \(condition)",
            [download] + values
        )
        return id != nil
    }

    /// Whether the file of a download that another node runs is about to get its name or to be moved.
    package func isFinishingElsewhere(_ download: Int64) throws -> Bool {
        guard try isElsewhere(download) else { return false }
        let id: Int64? = try database.value(
            "SELECT id FROM intention WHERE download = ? AND kind IN ('finish', 'move') LIMIT 1",
            [download]
        )
        return id != nil
    }

    /// Asks the nodes that have taken some downloads to start them again; those of this node are left
    /// out.
    package func restart(_ downloads: some Collection<Int64>) throws {
        guard database.dialect.isShared, !downloads.isEmpty else { return }
        let (condition, values) = elsewhere
        try database.run(
            """
            UPDATE download SET restartOf = epoch
            WHERE id = ANY(CAST(? AS bigint[])) AND \(condition)
            """,
            [OwnershipTable.list(downloads)] + values
        )
    }

    /// The condition for a row that another node has taken, and its parameters.
    private var elsewhere: (condition: String, values: [(any SQLEncodable)?]) {
        guard let node = database.node else { return ("node IS NOT NULL", []) }
        return ("node <> ?", [node.id])
    }

    // MARK: - The node with the download

    /// A download as the commands of others have left it.
    package struct Row: Sendable {
        package var download: WireDownload
        /// Whether it still belongs to this node.
        package var isOwn: Bool
        /// Whether its run is to start again.
        package var restarts: Bool
    }

    /// Returns the rows of some downloads; those that were removed are missing.
    package func rows(of downloads: some Collection<Int64>) throws -> [Int64: Row] {
        guard database.dialect.isShared, !downloads.isEmpty else { return [:] }
        let own = database.node?.id
        let rows = try database.rows(
            "SELECT * FROM download WHERE id = ANY(CAST(? AS bigint[]))",
            [OwnershipTable.list(downloads)]
        ) { row in
            let node: Int64? = try row["node"]
            let (epoch, restart): (Int64, Int64?) = (try row["epoch"], try row["restartOf"])
            return Row(
                download: try DownloadRows.download(row),
                isOwn: node == own,
                restarts: restart == epoch
            )
        }
        return Dictionary(
            rows.map { ($0.download.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the removals of files on the disk of this node that are still to be carried out.
    package func removals() throws -> [Intention] {
        guard database.dialect.isShared else { return [] }
        var (removals, last): ([Intention], Int64?) = ([], .min)
        while let id = last {
            let page = try IntentionTable(database).page(after: id, limit: 1000)
            removals += page.intentions.filter { intention in
                if case .remove = intention.operation { true } else { false }
            }
            last = page.last
        }
        return removals
    }
}
