internal import Glibc
package import PawlCore
internal import Synchronization
package import SystemPackage

/// A folder for files that are not needed after this process, such as those of a session.
///
/// Beside the folder is a lock, which ends with the process. Creating an area first removes those
/// whose processes have ended; those of running processes are not changed.
package final class TemporaryArea: Sendable {
    /// The path of the folder, which only this user can access.
    package let path: FilePath
    private let name: AreaName
    private let lock: OpenFile
    private let isRemoved = Mutex(false)

    private init(_ name: AreaName, lock: OpenFile) {
        self.name = name
        self.lock = lock
        path = name.folder
    }

    /// Removes the remaining files with the owner.
    deinit {
        // What cannot be removed now is removed by the next process.
        try? remove()
    }

    /// Creates an area in an existing folder that only this user can access.
    package static func make(in root: FilePath) throws(DownloadError) -> TemporaryArea {
        AbandonedAreas.remove(in: root)
        let area = try FreeName.search { (_) throws(DownloadError) -> TemporaryArea? in
            let name = AreaName.random(in: root)
            return try makeLock(name).map { TemporaryArea(name, lock: $0) }
        }
        guard let area else { throw DownloadError(.fileExists, while: .prepareFolder, root) }
        try attempt(.prepareFolder, area.path, area.path.systemCall { mkdir($0, 0o700) })
        return area
    }

    /// Removes the areas of ended processes without creating one.
    package static func removeAbandoned(in root: FilePath) { AbandonedAreas.remove(in: root) }

    /// The operations on its files.
    package var files: FileFolder { FileFolder(path) }

    /// Marks a partial file outside the area to be removed with the area, unless it is finished
    /// before.
    ///
    /// It blocks.
    package func adopt(_ store: PartialStore, as name: String) {
        // Without the mark, the file is not removed after a crash; that is no reason to fail the
        // download.
        guard let identity = try? UnfinishedNote.Identity(of: store.file) else { return }
        try? UnfinishedNote.write(
            store.paths.partial,
            identity,
            as: UnfinishedNote.path(name, in: path)
        )
    }

    /// Removes the mark of a file that has its name.
    package func release(_ name: String) {
        // The partial file is gone, so nothing could be removed by mistake.
        try? UnfinishedNote.path(name, in: path).removeFile()
    }

    /// Moves a file of the same file system into the area.
    package func take(_ file: FilePath, as name: String) throws(DownloadError) -> FilePath {
        let target = path.appending(name)
        try attempt(.rename, file, Renaming.withoutReplacing(file, target))
        return target
    }

    /// Removes the area with its content.
    ///
    /// A second call has no effect.
    package func remove() throws(DownloadError) {
        try isRemoved.withLock { (isRemoved) throws(DownloadError) in
            guard !isRemoved else { return }
            try attempt(.remove, path, name.remove())
            isRemoved = true
        }
    }

    /// Returns `nil` if another process was faster.
    private static func makeLock(_ name: AreaName) throws(DownloadError) -> OpenFile? {
        do throws(Errno) {
            let lock = try OpenFile(
                name.lock,
                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
                mode: 0o600
            )
            // Another process that looked for abandoned areas before the lock was taken may have
            // locked it, and will remove it.
            guard try FileLock.tryToTake(lock) != .held,
                try name.lock.status()?.identity == lock.status().identity
            else { return nil }
            return lock
        } catch .fileExists {
            return nil
        } catch {
            throw DownloadError(error, while: .create, name.lock)
        }
    }
}
