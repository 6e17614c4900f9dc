internal import GRDB

/// What the daemon knows of a database that is a file.
extension StoreTransaction {
    init(_ database: Database, isWriting: Bool = false) {
        self.init(SQLiteConnection(database, isWriting: isWriting))
    }

    /// Counts the commit of this transaction, which must be the last change; returns what it
    /// commits.
    func countCommit() throws -> CommitMark {
        try settings.countCommit()
        return try committed()
    }

    /// Returns what is committed.
    func committed() throws -> CommitMark {
        CommitMark(
            commits: try settings.commits(),
            lastDownload: try downloads.lastID(),
            lastEvent: try events.last()
        )
    }

    /// Returns the number of commits; 0 if there is no table yet.
    func commits() throws -> Int64 {
        let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'setting'"
        guard try database.row(sql) != nil else { return 0 }
        return try settings.commits()
    }

    /// Gives the next download and the next event ids above those that were used.
    func continueIDs(after last: CommitMark) throws {
        if last.lastEvent > (try counters.last(.event)) {
            try counters.raise(.event, to: last.lastEvent)
            // Nearly every removal has had an event of its own.
            try counters.raise(.removal, to: last.lastEvent)
        }
        guard last.lastDownload > (try downloads.lastID()) else { return }
        try database.run("DELETE FROM sqlite_sequence WHERE name = 'download'")
        try database.run(
            "INSERT INTO sqlite_sequence (name, seq) VALUES ('download', ?)",
            [last.lastDownload]
        )
    }

    /// Whether the damaged database of this number is still to be read: no download was added
    /// since.
    func isToRebuild(from number: Int) throws -> Bool {
        guard try downloads.lastID() == 0 else { return false }
        return try settings.lastRebuilt() < number
    }

    /// Whether a commit returns only after it is on the disk (`PRAGMA synchronous`: FULL is 2).
    package func waitsForTheDisk() throws -> Bool {
        try database.value("PRAGMA synchronous") == 2
    }
}
