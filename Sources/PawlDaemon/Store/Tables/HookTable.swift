internal import GRDB
package import PawlHooks
internal import PawlWire

/// The jobs of hooks that are not done yet.
///
/// They are written with the change that causes them, so that none is lost with the daemon, and
/// outlive their download.
package struct HookTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

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
        try database.run(
            "INSERT INTO hook (download, job) VALUES (?, ?)",
            [download, ColumnCoding.text(job)]
        )
    }

    /// Returns the oldest jobs.
    package func all(limit: Int) throws -> [Entry] {
        try database.rows("SELECT * FROM hook ORDER BY id LIMIT ?", [limit]).compactMap { row in
            let job: HookJob? = ColumnCoding.value(row["job"])
            return job.map { Entry(id: row["id"], download: row["download"], job: $0) }
        }
    }

    /// Records the end of a job.
    package func end(_ entry: Entry, _ end: End) throws {
        switch end {
        case .again(let job): try set(job, of: entry.id)
        case .done(let folder):
            try database.run("DELETE FROM hook WHERE id = ?", [entry.id])
            // The next jobs of the download are told where its files are.
            for var next in try all(limit: .max) where next.download == entry.download {
                guard let folder, next.id > entry.id else { continue }
                next.job.facts.folder = folder
                try set(next.job, of: next.id)
            }
        }
    }

    private func set(_ job: HookJob, of id: Int64) throws {
        try database.run("UPDATE hook SET job = ? WHERE id = ?", [ColumnCoding.text(job), id])
    }
}
