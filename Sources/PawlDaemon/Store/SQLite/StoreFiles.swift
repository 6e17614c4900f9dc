internal import Glibc
internal import Pawl
internal import PawlCore

/// The files beside the database.
package enum StoreFiles {
    /// A file that exists while a daemon has the store open; if it exists at a start, the last
    /// daemon crashed.
    ///
    /// It contains a `CommitMark`.
    static func marker(of path: String) -> String { "\(path).open" }

    /// The folders of downloads.
    package static func folders(of path: String) -> String { "\(path).folders" }

    /// The identity of the queue in the checkpoints of its partial files; it remains if the queue
    /// is damaged.
    static func identity(of path: String) -> String { "\(path).id" }

    /// The last ids that were used, which remain if the database is lost; a `CommitMark`.
    static func last(of path: String) -> String { "\(path).last" }

    /// A damaged database that was set aside; the numbers start at 1.
    package static func damaged(_ number: Int, of path: String) -> String {
        "\(path).damaged.\(number)"
    }

    /// The database as an earlier version left it.
    package static func backup(of path: String) -> String { "\(path).before-upgrade" }

    /// The space that is reserved for a full disk.
    static func reserve(of path: String) -> String { "\(path).reserve" }

    /// The copy that is being upgraded to this version.
    static func draft(of path: String) -> String { "\(path).upgrading" }

    /// Creates the database, which only the user may read; SQLite gives its other files the same
    /// permissions.
    static func create(_ path: String) throws(DownloadError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DownloadError(
                .fileNotCreatable,
                "the queue cannot be opened: \(String(cString: strerror(errno)))",
                advice: "check the permissions of the folder",
                context: "opening \(path)"
            )
        }
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    /// Replaces a small file, which is durable when this returns.
    static func replace(_ file: String, with text: String) throws(DownloadError) {
        let advice: Advice = "check the free space and the permissions of its folder"
        try PrivateFile(path: file, what: "a file of the queue", advice: advice)
            .write(text, .replace)
    }

    /// Creates the marker, which is durable when this returns; returns whether it existed before.
    static func mark(_ path: String) -> Bool {
        let marker = marker(of: path)
        guard access(marker, F_OK) != 0 else { return true }
        let descriptor = open(marker, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // If the marker cannot be created, neither can the store be written, which throws.
        guard descriptor >= 0 else { return false }
        fsync(descriptor)
        close(descriptor)
        PrivateFile.syncFolder(of: marker)
        return false
    }

    static func unmark(_ path: String) { unlink(marker(of: path)) }
}
