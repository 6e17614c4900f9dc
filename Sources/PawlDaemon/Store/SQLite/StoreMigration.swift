internal import FoundationEssentials
internal import GRDB
internal import Glibc
internal import Pawl
internal import PawlCore

/// Upgrades the store of an earlier version: a copy is upgraded and then replaces it in one step.
///
/// If the upgrade fails, nothing has changed. The old store is kept beside the new one for a week.
struct StoreMigration {
    let path: String

    /// Copies the open database, upgrades the copy, closes the database and replaces it by the
    /// copy.
    ///
    /// - Throws: `DownloadError`.
    func run(closing pool: DatabasePool) throws(DownloadError) {
        let (draft, others) = (StoreFiles.draft(of: path), OldStores(path: path))
        others.remove(draft)
        do {
            // The copy contains secrets, so only the user may read it from the moment it is
            // created.
            try StoreFiles.create(draft)
            let copy = try DatabaseQueue(path: draft, configuration: StoreOpening.configuration)
            try pool.backup(to: copy)
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try StoreSchema.migrator.migrate(copy)
            try copy.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try copy.close()
            // This fails if another program has the database open, and on a full disk.
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try pool.close()
        } catch {
            others.remove(draft)
            throw failure(error)
        }
        do throws(DownloadError) { try replace(by: draft) } catch {
            others.remove(draft)
            throw error
        }
    }

    private func replace(by draft: String) throws(DownloadError) {
        // SQLite would apply a log of the old database to the new one.
        let log = Self.attributes(of: "\(path)-wal")[.size] as? Int64 ?? 0
        guard log == 0 else { throw failure("another program has it open") }
        unlink("\(path)-wal")
        unlink("\(path)-shm")
        let backup = StoreFiles.backup(of: path)
        // The backup of an earlier upgrade may exist.
        OldStores(path: path).remove(backup)
        // On a file system without links there is no backup.
        if link(path, backup) != 0, errno != EPERM, errno != EOPNOTSUPP {
            throw failure(String(cString: strerror(errno)))
        }
        guard rename(draft, path) == 0 else { throw failure(String(cString: strerror(errno))) }
        // The time that the backup is kept starts now.
        utimes(backup, nil)
        PrivateFile.syncFolder(of: path)
    }

    /// Returns no attributes if there is no such file.
    private static func attributes(of path: String) -> [FileAttributeKey: Any] {
        (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:]
    }

    private func failure(_ error: any Error) -> DownloadError {
        let explained = SQLiteStore.explained(error, "upgrading \(path) to this version")
        guard explained.code != .diskFull else { return explained }
        let known = error as? DatabaseError
        // A checkpoint waits for all readers, and fails after a while.
        if let known, [.SQLITE_BUSY, .SQLITE_LOCKED].contains(known.resultCode) {
            return failure("another program has it open")
        }
        return failure(known?.message ?? explained.message)
    }

    private func failure(_ reason: String) -> DownloadError {
        DownloadError(
            .directoryNotUsable,
            "the queue of an earlier version of Pawl cannot be upgraded: "
                + reason.sanitized(atMost: 300),
            advice: "the queue was not changed: use the earlier version, or rename the queue",
            context: "upgrading \(path) to this version"
        )
    }
}
