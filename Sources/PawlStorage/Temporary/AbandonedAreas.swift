internal import Glibc
internal import PawlCore
internal import SystemPackage

/// What dead processes left.
enum AbandonedAreas {
    /// Removes it; returns how many areas went.
    ///
    /// A convenience of the next owner: what cannot be removed stays and is no error.
    @discardableResult
    static func remove(in root: FilePath) -> Int {
        let entries = (try? FolderListing.names(in: root)) ?? []
        return Set(entries.compactMap { AreaName(entry: $0, in: root) }).count { remove($0) }
    }

    private static func remove(_ name: AreaName) -> Bool {
        // Also of a folder whose lock is gone: its owner makes the lock first and removes it last.
        guard
            let lock = try? OpenFile(
                name.lock,
                O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
                mode: 0o600
            ),
            // Where there are no locks nobody can tell who is alive.
            (try? FileLock.attempt(lock)) == .taken,
            // Another process that removes it may have been faster.
            let now = try? name.lock.status(), now.identity == (try? lock.status())?.identity
        else { return false }
        return (try? name.remove()) != nil
    }
}
