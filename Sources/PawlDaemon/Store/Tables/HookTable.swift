package import FoundationEssentials
package import PawlHooks
internal import PawlWire

/// The jobs of hooks that are not done yet.
///
/// They are written with the change that causes them, so that none is lost with the daemon, and
/// outlive their download.
package struct HookTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// A job in the table.
    package struct Entry: Sendable, Hashable {
        package var id: Int64
        package var download: Int64
        package var job: HookJob
    }

    /// How a job has ended.
    package enum End: Sendable {
        /// The job is done; `folder`: the folder into which it has unpacked the file.
        case done(folder: String? = nil)
        /// The job is to be tried again in this form.
        case again(HookJob)
    }

    package func add(_ job: HookJob, for download: Int64) throws {
        let text = try ColumnCoding.text(job)
        guard let node = database.node else {
            try database.run("INSERT INTO hook (download, job) VALUES (?, ?)", [download, text])
            return
        }
        try database.run(
            "INSERT INTO hook (download, job, home) VALUES (?, ?, ?)",
            [download, text, node.name]
        )
    }

    /// The condition that this node does a job: it has run the download, whose file it has.
    private var isOwn: String { database.node == nil ? "TRUE" : "COALESCE(home, ?2) = ?2" }

    /// The parameters of a statement with a date and with `isOwn`.
    private func parameters(_ date: Date) -> [(any SQLEncodable)?] {
        guard let node = database.node else { return [date.timeIntervalSince1970] }
        return [date.timeIntervalSince1970, node.name]
    }

    /// Returns the oldest jobs that are due.
    package func due(at now: Date, limit: Int) throws -> [Entry] {
        try entries(
            """
            SELECT * FROM hook WHERE COALESCE(notBefore, 0) <= ?1 AND \(isOwn)
            ORDER BY id LIMIT \(limit)
            """,
            parameters(now)
        )
    }

    /// Returns the date at which the next job is due that waits; `nil` if none does.
    package func nextDate(after now: Date) throws -> Date? {
        ColumnCoding.date(
            try database.value(
                "SELECT MIN(notBefore) FROM hook WHERE notBefore > ?1 AND \(isOwn)",
                parameters(now)
            )
        )
    }

    private func entries(_ sql: String, _ parameters: [(any SQLEncodable)?]) throws -> [Entry] {
        try database.rows(sql, parameters).compactMap { row in
            let job: HookJob? = ColumnCoding.value(try row["job"])
            return try job.map { Entry(id: try row["id"], download: try row["download"], job: $0) }
        }
    }

    /// Records the end of a job.
    package func end(_ entry: Entry, _ end: End) throws {
        switch end {
        case .again(let job): try set(job, of: entry.id)
        case .done(let folder):
            try database.run("DELETE FROM hook WHERE id = ?", [entry.id])
            // The later jobs of the download need the new folder of its files.
            guard let folder else { return }
            let sql = "SELECT * FROM hook WHERE download = ? AND id > ?"
            for var next in try entries(sql, [entry.download, entry.id]) {
                next.job.facts.folder = folder
                try set(next.job, of: next.id)
            }
        }
    }

    private func set(_ job: HookJob, of id: Int64) throws {
        try database.run(
            "UPDATE hook SET job = ?, notBefore = ? WHERE id = ?",
            [ColumnCoding.text(job), job.notBefore?.timeIntervalSince1970, id]
        )
    }
}
