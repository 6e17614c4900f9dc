internal import CPlatform
internal import Glibc
package import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

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

    /// The maximum number of attempts to open both files while the log is rotated.
    private static let mostAttempts = 20

    /// Returns the last lines, the oldest first; those of the previous file, too, if there are too
    /// few.
    ///
    /// A file that does not exist has no lines. `onOpened` is called when the first file is open.
    ///
    /// Throws `.fileUnreadable`. It blocks.
    package func lastLines(
        _ count: Int,
        onOpened: () -> Void = {}
    ) throws(DownloadError) -> [Substring] {
        var lines: [Substring] = []
        do throws(Errno) {
            for file in try open(onOpened) where lines.count < count {
                guard try file.status().isRegular else { throw .invalidArgument }
                lines = try LogTail.lines(count - lines.count, of: file) + lines
                // Otherwise lines in between would be missing.
                guard try file.status().size <= LogTail.mostBytes else { break }
            }
            return lines
        } catch .invalidArgument {
            throw unreadable("it is not a regular file")
        } catch {
            throw unreadable("\(error)")
        }
    }

    /// Does the same on a thread that may block.
    package func lastLines(
        _ count: Int,
        in session: DownloadSession
    ) async throws(DownloadError) -> [Substring] {
        try await session.engine.disk.run { () throws(DownloadError) in try lastLines(count) }
    }

    /// Opens the file and the previous one, as far as they exist.
    ///
    /// If the log is rotated in between, both would be the same file.
    private func open(_ onOpened: () -> Void) throws(Errno) -> [OpenFile] {
        for _ in 0..<Self.mostAttempts {
            let file = try Self.open(path)
            onOpened()
            let previous = try Self.open(previousPath)
            guard try FilePath(path).status()?.identity == file?.status().identity else { continue }
            return [file, previous].compactMap(\.self)
        }
        throw .resourceBusy
    }

    /// Opens a file; `nil` if it does not exist.
    private static func open(_ path: String) throws(Errno) -> OpenFile? {
        do throws(Errno) {
            // Opening a FIFO must not wait for a writer.
            return try OpenFile(FilePath(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch .noSuchFileOrDirectory {
            return nil
        }
    }

    /// Returns the error of a log that cannot be read.
    package func unreadable(
        _ reason: String,
        advice: Advice = "check the file and its permissions"
    ) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "the log cannot be read: \(reason)",
            advice: advice,
            context: "opening \(path)"
        )
    }

    private var previousPath: String { "\(path).1" }

    private func setAside() { rename(path, previousPath) }

    private func openFile() -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
}
