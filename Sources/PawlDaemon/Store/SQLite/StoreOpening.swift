internal import FoundationEssentials
internal import GRDB
internal import Glibc
internal import PawlCore

/// Opens the database, and sets a damaged one aside.
enum StoreOpening {
    struct Opened {
        var pool: DatabasePool
        var note: String?
        /// The highest number of the databases that were set aside; 0 if there is none.
        var damaged = 0
    }

    static func open(_ path: String) throws(DownloadError) -> Opened {
        try finishSettingAside(path)
        try StoreFiles.create(path)
        let wasCutOff = StoreFiles.mark(path)
        do {
            let note = try checkCommits(path)
            let pool = try openSound(path, isSuspect: wasCutOff)
            return Opened(pool: pool, note: note, damaged: OldStores(path: path).numbers.last ?? 0)
        } catch {
            guard isDamage(error) else {
                if !wasCutOff { StoreFiles.unmark(path) }
                throw SQLiteStore.explained(error, "opening \(path)")
            }
            let old = try setAside(path)
            try StoreFiles.create(path)
            _ = StoreFiles.mark(path)
            do {
                let note = "the queue was damaged (\(reason(error))) and is kept as \(old)"
                return Opened(
                    pool: try openSound(path, isSuspect: false),
                    note: note,
                    damaged: OldStores(path: path).numbers.last ?? 0
                )
            } catch {
                throw SQLiteStore.explained(error, "opening \(path)")
            }
        }
    }

    /// Checks that no commit is missing; returns a note for the log if the database's log was
    /// damaged.
    private static func checkCommits(_ path: String) throws -> String? {
        guard let mark = CommitMark(file: StoreFiles.marker(of: path)) else { return nil }
        switch CommitCheck(path: path, mark: mark).run() {
        case .complete: return nil
        case .completeWithoutLog:
            return
                "the log of the queue was damaged and is removed; the queue is complete without it"
        case .missing(let commits):
            throw Damaged(reason: "its last changes are missing: \(commits)")
        }
    }

    private static func openSound(_ path: String, isSuspect: Bool) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        do {
            // GRDB sets NORMAL when it opens a pool, which can lose the last commits in a power
            // cut. Only the connection that writes needs FULL.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            if isSuspect { try check(pool) }
            let applied = try pool.read(StoreSchema.migrator.appliedIdentifiers)
            let known = Set(StoreSchema.migrator.migrations)
            if !applied.isSubset(of: known) {
                // A newer version has all migrations of this one, too.
                guard known.isSubset(of: applied) else {
                    throw Damaged(reason: "its versions are not known")
                }
                throw newer(path)
            }
            guard applied.isEmpty || applied == known else {
                return try upgrade(pool, path, isSuspect: isSuspect)
            }
            try StoreSchema.migrator.migrate(pool)
            if isSuspect {
                try checkSchema(pool)
                try checkCounters(pool)
            }
            return pool
        } catch {
            // The first error is more useful than an error of closing.
            try? pool.close()
            throw error
        }
    }

    /// Upgrades a store of an earlier version; a failure does not count as damage.
    private static func upgrade(
        _ pool: DatabasePool,
        _ path: String,
        isSuspect: Bool
    ) throws -> DatabasePool {
        // Damage is found before the upgrade changes anything.
        if !isSuspect { try check(pool) }
        try StoreMigration(path: path).run(closing: pool)
        return try openSound(path, isSuspect: isSuspect)
    }

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "pawl-store"
        configuration.maximumReaderCount = 2
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            // Deleted requests are overwritten, as they hold secrets.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            try database.execute(sql: "PRAGMA cache_size = -4096")
            database.add(function: TextSearch.function)
        }
        return configuration
    }

    private struct Damaged: Error {
        var reason: String
    }

    private static func newer(_ path: String) -> DownloadError {
        DownloadError(
            .directoryNotUsable,
            "the queue was written by a newer version of Pawl",
            advice: "use that version, or set XDG_STATE_HOME to another folder",
            context: "opening \(path)"
        )
    }

    private static func check(_ pool: DatabasePool) throws {
        let answer = try pool.read { database in
            try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        }
        guard let answer, answer != "ok" else { return }
        throw Damaged(reason: answer)
    }

    /// Checks that the tables, indexes and triggers are exactly those of Pawl: SQLite only checks
    /// that they are valid.
    private static func checkSchema(_ pool: DatabasePool) throws {
        let fresh = try DatabaseQueue()
        defer { try? fresh.close() }
        try StoreSchema.migrator.migrate(fresh)
        let ours = try fresh.read(StoreSchema.statements)
        guard try pool.read(StoreSchema.statements) == ours else {
            throw Damaged(reason: "its tables are not those of Pawl")
        }
    }

    /// Checks that no number would be given twice.
    private static func checkCounters(_ pool: DatabasePool) throws {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM counter WHERE name = 'removal') AND EXISTS (
                SELECT 1 FROM counter WHERE name = 'event'
                    AND value >= COALESCE((SELECT MAX(id) FROM event), 0)
            )
            """
        guard try pool.read({ try Bool.fetchOne($0, sql: sql) }) == true else {
            throw Damaged(reason: "its counters are wrong")
        }
    }

    /// Whether the contents of the file cause an error, and not the disk, the permissions or a lack
    /// of space.
    ///
    /// The statements of Pawl are valid, so an error about a statement also means that the file is
    /// damaged.
    private static func isDamage(_ error: any Error) -> Bool {
        guard !(error is Damaged), !(error is RowDecodingError), !(error is WrongColumnType)
        else { return true }
        guard let error = error as? DatabaseError else { return false }
        guard !error.isDamage else { return true }
        switch error.resultCode {
        case .SQLITE_FORMAT, .SQLITE_ERROR, .SQLITE_SCHEMA, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH:
            return true
        // `create` could write it, so a header that requires a newer SQLite makes it read-only.
        case .SQLITE_READONLY: return error.extendedResultCode == .SQLITE_READONLY
        default: return false
        }
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? Damaged { return error.reason }
        return (error as? DatabaseError)?.message ?? "\(error)"
    }

    /// Continues what a crash has interrupted: the database in use would lack its marker or its
    /// log.
    private static func finishSettingAside(_ path: String) throws(DownloadError) {
        let number = (OldStores(path: path).numbers.last ?? 0) + 1
        let marker = StoreFiles.marker(of: StoreFiles.damaged(number, of: path))
        guard access(marker, F_OK) == 0 else { return }
        _ = try setAside(path)
    }

    private static func setAside(_ path: String) throws(DownloadError) -> String {
        let stores = OldStores(path: path)
        let number = (stores.numbers.last ?? 0) + 1
        let new = StoreFiles.damaged(number, of: path)
        // The marker is moved first, which shows an interruption. The log is moved before the
        // database: SQLite would apply it to a new database of the same name.
        for suffix in [".open", "-wal", "-shm", ""] {
            guard rename(path + suffix, new + suffix) == 0 || errno == ENOENT else {
                throw DownloadError(
                    .renameFailed,
                    "the damaged queue cannot be renamed: \(String(cString: strerror(errno)))",
                    advice: "rename it yourself, then start the daemon again",
                    context: "renaming \(path)"
                )
            }
        }
        stores.noteSetAside(number)
        return new
    }
}
