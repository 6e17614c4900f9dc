internal import Glibc
package import SystemPackage

/// A file that does not have its name yet.
///
/// If the file system supports it, the file has no name at all, so nothing is left if the process
/// is killed. Otherwise it has a hidden name and a lock, and the next draft in that folder removes
/// those whose process has ended.
///
/// It must not be used by several threads.
package final class FileDraft {
    private static let prefix = ".pawl-draft-"

    package let file: OpenFile
    private let folder: FilePath
    private var hidden: FilePath?

    /// Creates a draft in the folder of its future name.
    package init(in folder: FilePath, mode: CInterop.Mode, startsUnnamed: Bool = true) throws(Errno)
    {
        self.folder = folder
        if startsUnnamed, let file = try OpenFile.unnamed(in: folder, mode: mode) {
            self.file = file
            return
        }
        Self.removeLeftovers(in: folder)
        (file, hidden) = try Self.openHidden(in: folder, mode)
    }

    deinit {
        // If this fails, the next draft removes the file.
        if let hidden { try? hidden.removeFile() }
    }

    /// Gives the file its name.
    ///
    /// It never replaces a file.
    package func giveName(_ path: FilePath) throws(Errno) {
        guard let hidden else { return try file.link(as: path) }
        try Renaming.withoutReplacing(hidden, path)
        self.hidden = nil
    }

    /// Gives the file its name, replacing an existing file in one step.
    package func takeName(_ path: FilePath) throws(Errno) {
        if hidden == nil {
            do throws(Errno) {
                return try file.link(as: path)
            } catch .fileExists {
                // Only a file that has a name can replace another in one step.
                try linkHidden()
            }
        }
        guard let hidden else { return }
        try Renaming.replacing(hidden, path)
        self.hidden = nil
    }

    private func linkHidden() throws(Errno) {
        // The lock is taken before others can see the file.
        _ = try FileLock.tryToTake(file)
        Self.removeLeftovers(in: folder)
        hidden = try FilePath.firstFree({ _ in Self.randomPath(in: folder) }) {
            (path) throws(Errno) in try file.link(as: path)
        }
    }

    private static func openHidden(
        in folder: FilePath,
        _ mode: CInterop.Mode
    ) throws(Errno) -> (OpenFile, FilePath) {
        var file: OpenFile?
        let path = try FilePath.firstFree({ _ in randomPath(in: folder) }) { (path) throws(Errno) in
            let new = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
            // The cleanup for another draft may have removed the file before it was locked.
            guard try FileLock.tryToTake(new) != .held,
                try path.status()?.identity == new.status().identity
            else { throw .fileExists }
            file = new
        }
        guard let file else { throw .fileExists }
        return (file, path)
    }

    private static func randomPath(in folder: FilePath) -> FilePath {
        folder.appending(prefix + String(UInt64.random(in: .min ... .max), radix: 16))
    }

    /// Removes drafts of ended processes.
    ///
    /// A draft that cannot be removed stays, which is not an error.
    private static func removeLeftovers(in folder: FilePath) {
        let prefix = Array(prefix.utf8)
        for name in (try? FolderListing.names(in: folder)) ?? [] where name.starts(with: prefix) {
            let path = folder.appending(FilePath(bytes: name).components)
            guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
                // Without locks nobody can tell whose draft it is.
                (try? FileLock.tryToTake(file)) == .taken
            else { continue }
            try? path.removeFile()
        }
    }
}
