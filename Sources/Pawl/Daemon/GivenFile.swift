internal import CPlatform
internal import Glibc

/// A small file that a user names, such as a certificate, and that other programs may replace.
package struct GivenFile: Sendable, Hashable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Distinguishes the file from those that replace it.
    package struct Stamp: Sendable, Hashable {
        private let device: UInt64
        private let inode: UInt64
        private let size: Int64
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    /// The stamp of the file; `nil` if it does not exist.
    ///
    /// Programs that renew a file may replace a symbolic link, so the target of a link counts.
    package var stamp: Stamp? {
        var status = stat()
        return stat(path, &status) == 0 ? Stamp(status) : nil
    }

    /// The reason why a file cannot be read.
    package enum Failure: Error {
        /// In the words of the system.
        case opening(String)
        case reading(String)
        /// It is not a regular file, or it is too large.
        case unsuitable
    }

    package struct Content: Sendable {
        package let bytes: [UInt8]
        /// Whether only those whom ssh lets read a key can read it.
        ///
        /// A file of the process's user must be closed to all others. A file of another user, such
        /// as root, may be readable by a group (Debian's `ssl-cert`), but not by everybody.
        package let isPrivate: Bool
    }

    package func read(atMost mostBytes: Int) throws(Failure) -> Content {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .opening(String(cString: strerror(errno))) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= mostBytes
        else { throw .unsuitable }
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw .reading(String(cString: strerror(errno))) }
            guard more > 0 else { break }
            count += more
        }
        let others: mode_t = status.st_uid == geteuid() ? 0o077 : 0o007
        return Content(bytes: Array(bytes[..<count]), isPrivate: status.st_mode & others == 0)
    }
}
