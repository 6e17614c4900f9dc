internal import CPlatform
internal import Glibc
package import PawlCore

/// A small file that is the user's alone, and is replaced as a whole.
package struct PrivateFile: Sendable {
    package let path: String
    /// What stands in it, for errors: `the daemon's token`.
    private let what: String
    private let advice: String

    private static let mostBytes = 64 << 10

    package init(path: String, what: String, advice: String) {
        (self.path, self.what, self.advice) = (path, what, advice)
    }

    /// Tells one file of that name from another.
    package struct Stamp: Sendable, Hashable {
        private let inode: UInt64
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            inode = UInt64(status.st_ino)
            (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    /// Nil if there is none.
    package var stamp: Stamp? {
        var status = stat()
        return lstat(path, &status) == 0 ? Stamp(status) : nil
    }

    /// Returns its text; nil if there is none.
    ///
    /// Throws `.fileUnreadable` for one that others may read, or that belongs to somebody else.
    package func read() throws(DownloadError) -> String? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(String(cString: strerror(errno)), "opening")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
            throw failure("others may read it, or it is somebody else's", "opening")
        }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = max(0, Glibc.read(file, &bytes, bytes.count))
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// What to do if the name is taken.
    package enum Taken: Sendable {
        case keep, replace
    }

    /// A whole file gets the name, and keeps it after a power cut, or none does.
    package func write(_ text: String, _ taken: Taken) throws(DownloadError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = open(temporary, flags, 0o600)
        guard file >= 0 else { throw failure(String(cString: strerror(errno)), "creating") }
        defer {
            close(file)
            unlink(temporary)
        }
        let bytes = Array(text.utf8)
        let hasName: () -> Bool = {
            switch taken {
            case .keep: link(temporary, path) == 0 || errno == EEXIST
            case .replace: rename(temporary, path) == 0
            }
        }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, hasName(),
            syncFolder()
        else { throw failure(String(cString: strerror(errno)), "writing") }
    }

    /// Runs something that no other process does at the same time with a file in that folder.
    package func exclusively<Value>(
        _ body: () throws(DownloadError) -> Value
    ) throws(DownloadError) -> Value {
        let folder = openFolder()
        guard folder >= 0, flock(folder, LOCK_EX) == 0 else {
            let code = errno
            if folder >= 0 { close(folder) }
            throw failure(String(cString: strerror(code)), "locking")
        }
        defer { close(folder) }
        return try body()
    }

    package func failure(_ reason: String, _ deed: String) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "\(what) cannot be used: \(reason)",
            advice: advice,
            context: "\(deed) \(path)"
        )
    }

    private func openFolder() -> Int32 {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return open(String(path[...end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    /// So that a name that was made or changed there survives a power cut.
    private func syncFolder() -> Bool {
        let folder = openFolder()
        guard folder >= 0 else { return false }
        defer { close(folder) }
        // Some file systems cannot sync a folder; what they can do is done.
        return fsync(folder) == 0 || errno == EINVAL
    }
}
