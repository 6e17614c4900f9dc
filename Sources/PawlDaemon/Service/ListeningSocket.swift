internal import Glibc
package import PawlCore

/// The Unix socket that the daemon listens at.
package struct ListeningSocket: Sendable {
    let descriptor: Int32
    let path: String

    // MARK: - Creating

    /// Creates the socket, which only the user can connect to.
    ///
    /// Call it with the lock of the folder: it replaces the file that an earlier daemon has left.
    static func bind(at path: String) throws(DownloadError) -> ListeningSocket {
        removeSocket(path)
        let descriptor = socket(AF_UNIX, UnixAddress.stream | UnixAddress.closesOnExec, 0)
        guard descriptor >= 0 else { throw failure(path, errno) }
        let code = UnixAddress.with(path) { address, size in
            let address = address.assumingMemoryBound(to: sockaddr.self)
            let isBound = Glibc.bind(descriptor, address, size) == 0
            return isBound && chmod(path, 0o600) == 0 ? 0 : errno
        }
        guard code == 0 else {
            close(descriptor)
            throw failure(path, code ?? ENAMETOOLONG)
        }
        return ListeningSocket(descriptor: descriptor, path: path)
    }

    /// Removes the file if it is a socket.
    private static func removeSocket(_ path: String) {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        // Only a socket cannot be opened for this reason (open(2)).
        if file < 0, errno == ENXIO { unlink(path) }
        if file >= 0 { close(file) }
    }

    /// Throws `.alreadyRunning` if another program listens at the path, such as systemd, which
    /// starts the daemon when a client connects.
    static func checkNobodyListens(at path: String) throws(DownloadError) {
        guard access(path, F_OK) == 0, let list = fopen("/proc/net/unix", "re") else { return }
        defer { fclose(list) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), list) != nil {
            let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            guard listens(String(decoding: bytes, as: UTF8.self), at: path) else { continue }
            throw DownloadError(
                .alreadyRunning,
                "another program listens at \(path), most likely systemd for pawld.service",
                advice: "use that daemon (pawl list starts it), or remove it: pawl daemon uninstall"
            )
        }
    }

    /// A line of /proc/net/unix (proc_net(5)): number, references, protocol, flags, type, state,
    /// inode, path.
    package static func listens(_ line: String, at path: String) -> Bool {
        let line = line.hasSuffix("\n") ? line.dropLast() : line[...]
        let words = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
        guard words.count == 8, words[7] == path, let flags = UInt32(words[3], radix: 16) else {
            return false
        }
        let accepts: UInt32 = 0x10000
        return flags & accepts != 0
    }

    private static func failure(_ path: String, _ code: Int32) -> DownloadError {
        DownloadError(
            .directoryNotUsable,
            "the daemon's socket cannot be opened: \(String(cString: strerror(code)))",
            advice: "check the folder's permissions",
            context: "listening at \(path)"
        )
    }

    // MARK: - Socket activation

    /// Returns the socket that the service manager has opened for this process (sd_listen_fds(3));
    /// `nil` if there is none.
    ///
    /// Call it before another thread runs: it removes the variables from the environment, so that
    /// no child process takes them for its own.
    package static func handedOver() throws(DownloadError) -> ListeningSocket? {
        let names = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
        let values = names.map { name in getenv(name).map { String(cString: $0) } }
        for name in names { unsetenv(name) }
        let count = try count(process: values[0], descriptors: values[1], own: getpid())
        guard count > 0 else { return nil }
        let descriptor = firstDescriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard option(SO_TYPE, of: descriptor) == UnixAddress.stream,
            option(SO_ACCEPTCONN, of: descriptor) == 1,
            let path = UnixAddress.path(of: descriptor), path.isAbsolutePath
        else {
            throw .usage(
                "the inherited socket is not a listening Unix stream socket",
                advice: "use ListenStream= with a path in the .socket unit"
            )
        }
        chmod(path, 0o600)
        return ListeningSocket(descriptor: descriptor, path: path)
    }

    /// Returns the number of descriptors for this process: 0 or 1.
    package static func count(
        process: String?,
        descriptors: String?,
        own: Int32
    ) throws(DownloadError) -> Int {
        guard let process, process == "\(own)", let descriptors, descriptors != "0" else {
            return 0
        }
        guard descriptors == "1" else {
            throw .usage(
                "LISTEN_FDS is '\(descriptors.sanitized)': the daemon needs exactly one socket",
                advice: "use exactly one ListenStream= in the .socket unit"
            )
        }
        return 1
    }

    private static let firstDescriptor: Int32 = 3

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}
