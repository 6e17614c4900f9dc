internal import Glibc
internal import PawlCore
internal import SystemPackage

/// The temporary areas that ended processes left.
enum AbandonedAreas {
    /// Removes these areas, and returns the number of removed areas.
    ///
    /// An area that cannot be removed stays, which is not an error.
    @discardableResult
    static func remove(in root: FilePath) -> Int {
        let entries = (try? FolderListing.names(in: root)) ?? []
        return Set(entries.compactMap { AreaName(entry: $0, in: root) }).count { remove($0) }
    }

    private static func remove(_ name: AreaName) -> Bool {
        // A folder without a lock counts, too: its owner creates the lock first and removes it
        // last.
        guard
            let lock = try? OpenFile(
                name.lock,
                O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
                mode: 0o600
            ),
            // Without locks nobody can tell which owners are alive.
            (try? FileLock.tryToTake(lock)) == .taken,
            // Another process that removes it may have been faster.
            let now = try? name.lock.status(), now.identity == (try? lock.status())?.identity
        else { return false }
        return (try? name.remove()) != nil
    }
}
