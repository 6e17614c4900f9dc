internal import PawlCore

/// The starts, failures and waits of the downloads: columns of the table `download`.
package struct AttemptTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Counts a start.
    ///
    /// The count is kept until the run ends or gets further than the run before.
    package func countStart(of id: Int64) throws {
        try database.run("UPDATE download SET starts = starts + 1 WHERE id = ?", [id])
    }

    package func forgetStarts(of id: Int64) throws {
        try database.run("UPDATE download SET starts = 0 WHERE id = ? AND starts > 0", [id])
    }

    /// Returns the unfinished downloads with at least this number of starts: they may crash the
    /// daemon.
    package func suspects(starts: Int) throws -> Set<Int64> {
        try Set(
            database.values(
                "SELECT id FROM download WHERE endedAt IS NULL AND starts >= ?",
                [starts]
            )
        )
    }

    /// Records the wait after a failure.
    ///
    /// `outages`: how many of the consecutive failures the network may have caused.
    package func setRetry(_ wait: Duration, outages: Int, of id: Int64) throws {
        try database.run(
            "UPDATE download SET retryWait = ?, outages = ? WHERE id = ?",
            [wait.seconds, outages, id]
        )
    }

    package func outages(of id: Int64) throws -> Int {
        try database.value(
            "SELECT CASE WHEN failures > 0 THEN outages ELSE 0 END FROM download WHERE id = ?",
            [id]
        ) ?? 0
    }

    /// Returns the planned wait of a failed download; `nil` if an earlier version wrote the row.
    package func retryWait(of id: Int64) throws -> Duration? {
        let seconds: Double? =
            try database.value("SELECT retryWait FROM download WHERE id = ?", [id])
        return seconds.map { .seconds($0) }
    }
}
