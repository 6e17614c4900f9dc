internal import Glibc
package import PawlCore
package import SystemPackage

/// A folder that gets its name when it is complete.
///
/// Until then, only this user can access it, and a lock on it shows that its process runs. Creating
/// one first removes those beside it whose processes have ended.
package final class DraftFolder: Sendable {
    /// The path until it has its name.
    package let path: FilePath
    /// The folder itself, with its lock.
    private let file: OpenFile
    /// The permissions that the finished folder gets.
    private let permissions: UInt32

    private static let prefix = ".pawl-unpacking-"

    private init(_ path: FilePath, _ file: OpenFile, permissions: UInt32) {
        (self.path, self.file, self.permissions) = (path, file, permissions)
    }

    // MARK: - Making one

    /// Creates a folder with a temporary name within another one.
    package static func make(in parent: FilePath) throws(DownloadError) -> DraftFolder {
        removeAbandoned(in: parent)
        let draft = try FreeName.search { (_) throws(DownloadError) -> DraftFolder? in
            let number = String(UInt64.random(in: .min ... .max), radix: 16)
            let path = parent.appending(prefix + number)
            return try attempt(.prepareFolder, path, makeLocked(path))
        }
        guard let draft else { throw DownloadError(.fileExists, while: .prepareFolder, parent) }
        return draft
    }

    /// Returns `nil` if the name is taken, or another process has found the folder before it was
    /// locked, and removes it.
    private static func makeLocked(_ path: FilePath) throws(Errno) -> DraftFolder? {
        do throws(Errno) {
            try path.systemCall { mkdir($0, 0o777) }
            guard let file = try lockedFolder(path) else { return nil }
            let permissions = try file.status().permissions
            try retrying { fchmod(file.descriptor, 0o700) }
            return DraftFolder(path, file, permissions: permissions)
        } catch .fileExists {
            return nil
        } catch .noSuchFileOrDirectory where (try? path.folder.status()) != nil {
            return nil
        }
    }

    /// Opens a folder that no other process uses; `nil` if one does, or it has lost its name.
    private static func lockedFolder(
        _ path: FilePath,
        withoutLocks isUsable: Bool = true
    ) throws(Errno) -> OpenFile? {
        let file = try OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        switch try FileLock.tryToTake(file) {
        case .held: return nil
        case .notSupported where !isUsable: return nil
        case .taken, .notSupported: break
        }
        return try path.status()?.identity == file.status().identity ? file : nil
    }

    /// Removes the folders of this user whose processes have ended.
    private static func removeAbandoned(in parent: FilePath) {
        // What cannot be looked at is not removed.
        for name in (try? FolderListing.names(in: parent)) ?? [] {
            guard let name = String(validating: name, as: UTF8.self), isName(name),
                let status = try? parent.appending(name).status(), status.isDirectory,
                status.belongsToUser,
                // Without locks nobody can tell which processes run.
                let file = try? lockedFolder(parent.appending(name), withoutLocks: false)
            else { continue }
            // What cannot be removed is tried again next time.
            _ = try? FolderTree.remove(parent.appending(name))
            file.unlock()
        }
    }

    private static func isName(_ name: String) -> Bool {
        let number = name.dropFirst(prefix.count)
        guard name.hasPrefix(prefix), let value = UInt64(number, radix: 16) else { return false }
        return String(value, radix: 16) == number
    }

    // MARK: - What is in it

    /// The identity of the folder, which no other folder ever has; `nil` if it is not known.
    package var identity: String? { (try? UnfinishedNote.Identity(of: file))?.text }

    /// Whether a folder has this identity.
    package static func exists(_ path: FilePath, as identity: String) -> Bool {
        // A folder that cannot be opened is not the one.
        guard let file = try? OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
            return false
        }
        return (try? UnfinishedNote.Identity(of: file))?.text == identity
    }

    /// The number of entries of any kind, and the bytes that they occupy; it blocks.
    package func usage(most: Int) -> (entryCount: Int, byteCount: Int64) {
        FolderTree.usage(below: path, most: most)
    }

    /// Returns a descriptor of the folder for a program that fills it, so that the lock lasts until
    /// the program has ended, too; -1 on failure.
    package func descriptorForProgram() -> Int32 { fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3) }

    // MARK: - Its end

    /// Gives the folder its name, which nothing else has.
    ///
    /// Returns `false` if the name is taken.
    package func finish(as name: FilePath) throws(Errno) -> Bool {
        try retrying { fchmod(file.descriptor, mode_t(permissions)) }
        do throws(Errno) {
            try Renaming.withoutReplacing(path, name, methods: [.exclusive, .checkedFirst])
        } catch .fileExists {
            return false
        }
        file.unlock()
        return true
    }

    /// Removes the folder with its content.
    package func remove() throws(Errno) {
        try FolderTree.remove(path)
        file.unlock()
    }
}
