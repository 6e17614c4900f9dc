internal import Glibc
internal import PawlCore

/// The files beside the database.
package enum StoreFiles {
    /// Is there while a daemon has the store open: where one finds it, another did not end well.
    static func marker(of path: String) -> String { "\(path).open" }

    /// The folders that downloads went to.
    package static func folders(of path: String) -> String { "\(path).folders" }

    /// What tells the partial files of this queue from those of others; it stays when the queue is damaged.
    static func identity(of path: String) -> String { "\(path).id" }

    /// A database that was set aside; the numbers rise from 1.
    package static func damaged(_ number: Int, of path: String) -> String {
        "\(path).damaged.\(number)"
    }

    /// The database as an earlier version left it.
    package static func backup(of path: String) -> String { "\(path).before-upgrade" }

    /// Room that is kept back for a full disk.
    static func reserve(of path: String) -> String { "\(path).reserve" }

    /// The copy that is brought to this version.
    static func draft(of path: String) -> String { "\(path).upgrading" }

    /// Nobody else may read it; SQLite gives its other files the same rights.
    static func create(_ path: String) throws(DownloadError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DownloadError(
                .fileNotCreatable,
                "the queue cannot be opened: \(String(cString: strerror(errno)))",
                advice: "look at the rights of the folder",
                context: "opening \(path)"
            )
        }
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    /// Durable when this returns; true where it was there already.
    static func mark(_ path: String) -> Bool {
        let marker = marker(of: path)
        guard access(marker, F_OK) != 0 else { return true }
        let descriptor = open(marker, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // Where it cannot be made, the store cannot be written either, which says so.
        guard descriptor >= 0 else { return false }
        fsync(descriptor)
        close(descriptor)
        syncFolder(of: marker)
        return false
    }

    static func unmark(_ path: String) { unlink(marker(of: path)) }

    /// So that a name that was made or changed there survives a power cut.
    static func syncFolder(of path: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let descriptor = open(String(path[...slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
