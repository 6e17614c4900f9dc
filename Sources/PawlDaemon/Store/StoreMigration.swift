internal import FoundationEssentials
internal import GRDB
internal import Glibc
internal import PawlCore

/// Upgrades the store of an earlier version: a copy is upgraded and then replaces it in one step.
///
/// Where that fails, everything is as it was. The store as it was stays beside it as a backup for a week.
struct StoreMigration {
    let path: String

    /// Copies what is open, closes it, and puts the copy that was brought up in its place.
    ///
    /// - Throws: `DownloadError`.
    func run(closing pool: DatabasePool) throws(DownloadError) {
        let (draft, others) = (StoreFiles.draft(of: path), OldStores(path: path))
        others.remove(draft)
        do {
            // It may hold secrets: nobody else may read it from the beginning.
            try StoreFiles.create(draft)
            let copy = try DatabaseQueue(path: draft, configuration: StoreOpening.configuration)
            try pool.backup(to: copy)
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try StoreSchema.migrator.migrate(copy)
            try copy.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try copy.close()
            // Fails where another program reads or writes it, and for want of room.
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
        // What is still in the log of the old one would be taken for the new one's.
        let log = Self.attributes(of: "\(path)-wal")[.size] as? Int64 ?? 0
        guard log == 0 else { throw failure("another program has it open") }
        unlink("\(path)-wal")
        unlink("\(path)-shm")
        let backup = StoreFiles.backup(of: path)
        // One of the upgrade before this one may be there.
        OldStores(path: path).remove(backup)
        // A file system without links has no backup: the copy takes the place of what it was made of.
        if link(path, backup) != 0, errno != EPERM, errno != EOPNOTSUPP {
            throw failure(String(cString: strerror(errno)))
        }
        guard rename(draft, path) == 0 else { throw failure(String(cString: strerror(errno))) }
        // From now on it is kept for a while.
        utimes(backup, nil)
        StoreFiles.syncFolder(of: path)
    }

    /// None where there is no such file.
    private static func attributes(of path: String) -> [FileAttributeKey: Any] {
        (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:]
    }

    private func failure(_ error: any Error) -> DownloadError {
        let explained = DaemonStore.explained(error, "bringing \(path) to this version")
        guard explained.code != .diskFull else { return explained }
        let known = error as? DatabaseError
        // A checkpoint waits for all who read it, and gives up.
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
            advice: "nothing was changed: use the earlier version, or move the queue away",
            context: "bringing \(path) to this version"
        )
    }
}
