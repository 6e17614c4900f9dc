internal import GRDB
internal import PawlCore

/// Finds out whether a database that was not closed still has everything that was committed.
struct CommitCheck {
    let path: String
    /// What was committed according to the marker file.
    let mark: CommitMark

    enum Finding {
        case complete
        /// The log was damaged or missing, and was removed: the database has all commits without
        /// it.
        case completeWithoutLog
        /// The number of commits that are missing.
        case missing(Int64)
    }

    /// Checks the database before it is opened for writing, which would shorten the log.
    ///
    /// Removes a log whose readable beginning is older than the database: SQLite would mix their
    /// pages.
    func run() -> Finding {
        // If the number cannot be read, the usual checks find the damage.
        guard var commits = count() else { return .complete }
        guard commits < mark.commits else { return .complete }
        if commits < mark.saved {
            OldStores(path: path).removeLog()
            commits = count() ?? 0
        }
        return commits < mark.commits ? .missing(mark.commits - commits) : .completeWithoutLog
    }

    /// Returns the number of commits that the database contains; `nil` if it cannot be read.
    private func count() -> Int64? {
        var configuration = Configuration()
        // A connection that may write would write the log to the database when it is closed.
        configuration.readonly = true
        let queue = try? DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue?.close() }
        return try? queue?.read { try StoreTransaction($0).commits() }
    }
}
