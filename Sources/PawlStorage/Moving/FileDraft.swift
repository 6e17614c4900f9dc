internal import Glibc
internal import SystemPackage

/// A file that has not got its name yet.
///
/// It has none where the file system can make such files: when the process is killed, nothing is left.
/// Elsewhere it has a hidden name and a lock, and the next draft in that folder removes those that no
/// living process has.
///
/// Not for several threads.
final class FileDraft {
    private static let prefix = ".pawl-draft-"
    private static let mostAttempts = 100

    let file: OpenFile
    private let folder: FilePath
    private var hidden: FilePath?

    /// Makes one in the folder that its name will be in.
    init(in folder: FilePath, mode: mode_t, startsUnnamed: Bool = true) throws(Errno) {
        self.folder = folder
        if startsUnnamed, let file = try OpenFile.unnamed(in: folder, mode: mode) {
            self.file = file
            return
        }
        Self.removeLeftovers(in: folder)
        (file, hidden) = try Self.openHidden(in: folder, mode)
    }

    deinit {
        // What is left over, the next draft removes.
        if let hidden { try? hidden.removeFile() }
    }

    /// Never replaces.
    func giveName(_ path: FilePath) throws(Errno) {
        guard let hidden else { return try file.link(as: path) }
        try Renaming.withoutReplacing(hidden, path)
        self.hidden = nil
    }

    /// Replaces what has the name, in one step.
    func takeName(_ path: FilePath) throws(Errno) {
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
        // Before others can see it.
        _ = try FileLock.attempt(file)
        Self.removeLeftovers(in: folder)
        for _ in 0..<Self.mostAttempts {
            let path = Self.randomPath(in: folder)
            do throws(Errno) {
                try file.link(as: path)
                hidden = path
                return
            } catch .fileExists {
                continue
            }
        }
        throw .fileExists
    }

    private static func openHidden(
        in folder: FilePath,
        _ mode: mode_t
    ) throws(Errno) -> (OpenFile, FilePath) {
        for _ in 0..<mostAttempts {
            let path = randomPath(in: folder)
            do throws(Errno) {
                let file = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
                // Another draft, which found it before it had its lock, may have removed it.
                if try FileLock.attempt(file) != .held,
                    try path.status()?.identity == file.status().identity
                {
                    return (file, path)
                }
            } catch .fileExists {
                continue
            }
        }
        throw .fileExists
    }

    private static func randomPath(in folder: FilePath) -> FilePath {
        folder.appending(prefix + String(UInt64.random(in: .min ... .max), radix: 16))
    }

    /// A convenience: what cannot be removed stays.
    private static func removeLeftovers(in folder: FilePath) {
        let prefix = Array(prefix.utf8)
        for name in (try? FolderListing.names(in: folder)) ?? [] where name.starts(with: prefix) {
            let path = folder.appending(FilePath(bytes: name).components)
            guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
                // Where there are no locks nobody can tell whose it is.
                (try? FileLock.attempt(file)) == .taken
            else { continue }
            try? path.removeFile()
        }
    }
}
