internal import Glibc
package import PawlCore
internal import Synchronization
package import SystemPackage

/// A folder for files that nobody needs after this process: a session's own.
///
/// Beside the folder lies a lock, which dies with the process. Whoever makes an area first removes those
/// that dead processes left; those of living ones are not touched.
package final class TemporaryArea: Sendable {
    private static let mostAttempts = 100

    /// Only this user may look into it.
    package let path: FilePath
    private let name: AreaName
    private let lock: OpenFile
    private let isRemoved = Mutex(false)

    private init(_ name: AreaName, lock: OpenFile) {
        self.name = name
        self.lock = lock
        path = name.folder
    }

    /// What is still there goes with the owner.
    deinit {
        // What cannot be removed now, the next process removes.
        try? remove()
    }

    /// Makes one in a folder that is there and is this user's alone.
    package static func make(in root: FilePath) throws(DownloadError) -> TemporaryArea {
        AbandonedAreas.remove(in: root)
        for _ in 0..<mostAttempts {
            let name = AreaName.random(in: root)
            guard let lock = try claim(name) else { continue }
            let area = TemporaryArea(name, lock: lock)
            try attempt(.prepareFolder, name.folder) { () throws(Errno) in
                try name.folder.systemCall { mkdir($0, 0o700) }
            }
            return area
        }
        throw DownloadError(.fileExists, while: .prepareFolder, root)
    }

    /// Removes what dead processes left, without making an area.
    package static func removeAbandoned(in root: FilePath) { AbandonedAreas.remove(in: root) }

    /// What is done with files in it.
    package var files: FileFolder { FileFolder(path) }

    /// A partial file that lies elsewhere is to go with the area, unless it is finished before.
    ///
    /// It blocks.
    package func adopt(_ store: PartialStore, as name: String) {
        // What cannot be noted is not cleaned up after a crash: no reason to fetch nothing.
        guard let identity = try? UnfinishedNote.Identity(of: store.file) else { return }
        try? UnfinishedNote.write(
            store.paths.partial,
            identity,
            as: UnfinishedNote.path(name, in: path)
        )
    }

    /// Its file has its name, and is nobody else's business.
    package func release(_ name: String) {
        // Its partial file is gone: there is nothing left to be removed by mistake.
        try? UnfinishedNote.path(name, in: path).removeFile()
    }

    /// Gives a file of the same file system a place in the area.
    package func take(_ file: FilePath, as name: String) throws(DownloadError) -> FilePath {
        let place = path.appending(name)
        try attempt(.rename, file) { () throws(Errno) in
            try Renaming.withoutReplacing(file, place)
        }
        return place
    }

    /// Removes it with all that is in it; again does nothing.
    package func remove() throws(DownloadError) {
        try isRemoved.withLock { (isRemoved) throws(DownloadError) in
            guard !isRemoved else { return }
            try attempt(.remove, path) { () throws(Errno) in try name.remove() }
            isRemoved = true
        }
    }

    /// Nil where another process was faster.
    private static func claim(_ name: AreaName) throws(DownloadError) -> OpenFile? {
        do throws(Errno) {
            let lock = try OpenFile(
                name.lock,
                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
                mode: 0o600
            )
            // One that looked for dead ones before the lock was taken has it now, and removes it.
            guard try FileLock.attempt(lock) != .held,
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
