internal import Glibc

/// The files beside the database.
package enum StoreFiles {
    /// Is there while a daemon has the store open: where one finds it, another did not end well.
    static func marker(of path: String) -> String { "\(path).open" }

    /// The folders that downloads went to.
    package static func folders(of path: String) -> String { "\(path).folders" }

    /// A database that was set aside; the numbers rise from 1.
    package static func damaged(_ number: Int, of path: String) -> String {
        "\(path).damaged.\(number)"
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
