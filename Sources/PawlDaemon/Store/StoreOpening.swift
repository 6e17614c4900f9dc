internal import FoundationEssentials
internal import GRDB
internal import Glibc
internal import PawlCore

/// Opens the database, and sets a damaged one aside.
enum StoreOpening {
    struct Opened {
        var pool: DatabasePool
        var note: String?
        /// The highest number of those that were set aside; 0 where none was.
        var damaged = 0
    }

    static func open(_ path: String) throws(DownloadError) -> Opened {
        try StoreFiles.create(path)
        let wasCutOff = StoreFiles.mark(path)
        do {
            let pool = try openSound(path, isSuspect: wasCutOff)
            return Opened(pool: pool, damaged: OldStores(path: path).numbers.last ?? 0)
        } catch {
            guard isDamage(error) else {
                if !wasCutOff { StoreFiles.unmark(path) }
                throw DaemonStore.explained(error, "opening \(path)")
            }
            let old = try setAside(path)
            try StoreFiles.create(path)
            do {
                let note = "the queue was damaged (\(reason(error))) and set aside as \(old)"
                return Opened(
                    pool: try openSound(path, isSuspect: false),
                    note: note,
                    damaged: OldStores(path: path).numbers.last ?? 0
                )
            } catch {
                throw DaemonStore.explained(error, "opening \(path)")
            }
        }
    }

    private static func openSound(_ path: String, isSuspect: Bool) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        do {
            // GRDB sets NORMAL for a pool when it is open, which loses the last commits in a power
            // cut; only the connection that writes counts.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            if isSuspect { try check(pool) }
            let applied = try pool.read(StoreSchema.migrator.appliedIdentifiers)
            let known = Set(StoreSchema.migrator.migrations)
            if !applied.isSubset(of: known) {
                // A newer one has all of ours, too.
                guard known.isSubset(of: applied) else {
                    throw Damaged(reason: "its versions are not known")
                }
                throw newer(path)
            }
            guard applied.isEmpty || applied == known else {
                return try bringUp(pool, path, isSuspect: isSuspect)
            }
            try StoreSchema.migrator.migrate(pool)
            if isSuspect { try checkSchema(pool) }
            return pool
        } catch {
            // The first error tells more than one of closing.
            try? pool.close()
            throw error
        }
    }

    /// A sound store of an earlier version; that it cannot be brought up does not make it a damaged one.
    private static func bringUp(
        _ pool: DatabasePool,
        _ path: String,
        isSuspect: Bool
    ) throws -> DatabasePool {
        // Damage is found before anything is made of it.
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
            // What is deleted of `request` is overwritten.
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
            advice: "use that one, or set XDG_STATE_HOME to another folder",
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

    /// That the tables, indexes and triggers are ours, to the letter: SQLite knows only whether they
    /// make sense.
    private static func checkSchema(_ pool: DatabasePool) throws {
        let fresh = try DatabaseQueue()
        defer { try? fresh.close() }
        try StoreSchema.migrator.migrate(fresh)
        let ours = try fresh.read(StoreSchema.statements)
        guard try pool.read(StoreSchema.statements) == ours else {
            throw Damaged(reason: "its tables are not those of Pawl")
        }
    }

    /// Whether what is in the file is at fault, not the disk, its rights or its room.
    ///
    /// What is asked of SQLite here is right: where it says that it is not, it was misled by what it read.
    private static func isDamage(_ error: any Error) -> Bool {
        guard !(error is Damaged), !(error is RowDecodingError) else { return true }
        guard let error = error as? DatabaseError else { return false }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: return true
        case .SQLITE_ERROR, .SQLITE_SCHEMA, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH: return true
        // `create` could write it: a header that asks for a newer SQLite makes it read-only.
        case .SQLITE_READONLY: return error.extendedResultCode == .SQLITE_READONLY
        default: return false
        }
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? Damaged { return error.reason }
        return (error as? DatabaseError)?.message ?? "\(error)"
    }

    private static func setAside(_ path: String) throws(DownloadError) -> String {
        let stores = OldStores(path: path)
        let number = (stores.numbers.last ?? 0) + 1
        let new = StoreFiles.damaged(number, of: path)
        // The log first: without it the database would be another one under the old name.
        for suffix in ["-wal", "-shm", ""] {
            guard rename(path + suffix, new + suffix) == 0 || errno == ENOENT else {
                throw DownloadError(
                    .renameFailed,
                    "the damaged queue cannot be set aside: \(String(cString: strerror(errno)))",
                    advice: "move it away by hand",
                    context: "renaming \(path)"
                )
            }
        }
        stores.noteSetAside(number)
        return new
    }
}
