internal import CPlatform
internal import Glibc

/// The log of a background daemon: one file, and the previous one.
package struct DaemonLogFile: Sendable {
    package let path: String
    private let mostBytes: Int

    package init(path: String, mostBytes: Int = 4 << 20) {
        (self.path, self.mostBytes) = (path, mostBytes)
    }

    /// Opens the file to append, after renaming one that has become too large.
    ///
    /// Returns -1 with `errno` set on failure.
    package func open() -> Int32 {
        var status = stat()
        if stat(path, &status) == 0, status.st_size > mostBytes { setAside() }
        return openFile()
    }

    /// Replaces a file that has become too large and to which these descriptors write.
    ///
    /// Processes that inherited the old file continue to write to it under its new name.
    package func renew(_ descriptors: [Int32]) {
        var (own, named) = (stat(), stat())
        guard let first = descriptors.first, fstat(first, &own) == 0, own.st_size > mostBytes,
            // Descriptors of other files, such as a terminal, a pipe or a file that was moved away,
            // are kept.
            stat(path, &named) == 0, named.st_ino == own.st_ino, named.st_dev == own.st_dev
        else { return }
        setAside()
        let file = openFile()
        guard file >= 0 else { return }
        for descriptor in descriptors { dup2(file, descriptor) }
        close(file)
    }

    private func setAside() { rename(path, "\(path).1") }

    private func openFile() -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
}
