internal import CPlatform
internal import Glibc
package import PawlCore

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

    // MARK: - Reading

    /// The maximum number of bytes that are read of a file.
    private static let mostBytesToRead = 8 << 20

    /// Returns the last lines, the oldest first; those of the previous file, too, if there are too
    /// few.
    ///
    /// A file that does not exist has no lines. Throws `.fileUnreadable`.
    package func lastLines(_ count: Int) throws(DownloadError) -> [Substring] {
        var lines: [Substring] = []
        for file in [path, "\(path).1"] where lines.count < count {
            guard access(file, F_OK) == 0 else { continue }
            lines = try Self.end(of: file).split(separator: "\n") + lines
        }
        return lines.suffix(count)
    }

    private static func end(of path: String) throws(DownloadError) -> String {
        // Opening a FIFO must not wait for a writer.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(String(cString: strerror(errno)), path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unreadable("it is not a regular file", path)
        }
        var bytes = [UInt8](repeating: 0, count: min(mostBytesToRead, Int(status.st_size)))
        var count = 0
        while count < bytes.count {
            let offset = status.st_size - off_t(bytes.count - count)
            let part = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count, offset)
            }
            guard part > 0 else { break }
            count += part
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func unreadable(_ reason: String, _ path: String) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "the log cannot be read: \(reason)",
            advice: "check the file and its permissions",
            context: "opening \(path)"
        )
    }

    private func setAside() { rename(path, "\(path).1") }

    private func openFile() -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
}
