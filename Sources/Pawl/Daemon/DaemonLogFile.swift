internal import CPlatform
internal import Glibc

/// The log of a daemon in the background: one file, and the one before it.
package struct DaemonLogFile: Sendable {
    package let path: String
    private let mostBytes: Int

    package init(path: String, mostBytes: Int = 4 << 20) {
        (self.path, self.mostBytes) = (path, mostBytes)
    }

    /// Opens it to append, under another name first if it has become too large; -1 with `errno` set.
    package func open() -> Int32 {
        var status = stat()
        if stat(path, &status) == 0, status.st_size > mostBytes { setAside() }
        return openFile()
    }

    /// Puts a new file in the place of one that has become too large and that these descriptors write to.
    ///
    /// What has inherited the old one goes on writing to it under its new name.
    package func renew(_ descriptors: [Int32]) {
        var (own, named) = (stat(), stat())
        guard let first = descriptors.first, fstat(first, &own) == 0, own.st_size > mostBytes,
            // Who has another file, as a terminal or a pipe, or one that was moved away, keeps that.
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
