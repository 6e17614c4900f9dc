internal import Glibc
package import PawlCore

/// Allows one daemon per folder: a lock that ends with the process, and the identifier of the
/// process that holds it.
package final class StoreLock: Sendable {
    /// The process that holds a lock.
    package enum Owner: Hashable, Sendable {
        case process(Int32)
        case unknown

        package var name: String {
            if case .process(let id) = self { "process \(id)" } else { "another process" }
        }
    }

    private let descriptor: Int32

    /// Throws `.alreadyRunning`, with the process ID of the other process.
    package init(folder: String) throws(DownloadError) {
        let path = Self.path(folder)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DownloadError(
                .directoryNotUsable,
                "the lock of the daemon cannot be opened: \(String(cString: strerror(errno)))",
                advice: "check the permissions of the folder",
                context: "opening \(path)"
            )
        }
        guard Self.take(descriptor) else {
            // `deinit` runs after this error and closes the descriptor: a second `close` could
            // close another file.
            let owner = Self.owner(descriptor)
            throw DownloadError(
                .alreadyRunning,
                "another daemon\(owner == .unknown ? "" : " (\(owner.name))") uses \(folder)",
                advice: "use that daemon, or stop it: pawl daemon stop"
            )
        }
        let number = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, number, number.count, 0)
    }

    deinit { close(descriptor) }

    /// Takes the lock; tries several times, as a check for a running daemon holds it for a moment.
    private static func take(_ descriptor: Int32) -> Bool {
        for _ in 0..<10 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(5000)
        }
        return false
    }

    /// Returns the process that holds the lock of a folder; `nil` if none does.
    package static func owner(in folder: String) -> Owner? {
        let lock = open(path(folder), O_RDONLY | O_CLOEXEC)
        guard lock >= 0 else { return nil }
        defer { close(lock) }
        return flock(lock, LOCK_SH | LOCK_NB) == 0 ? nil : owner(lock)
    }

    private static func owner(_ descriptor: Int32) -> Owner {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return Int32(text.prefix { $0.isNumber }).map { .process($0) } ?? .unknown
    }

    private static func path(_ folder: String) -> String { "\(folder)/daemon.lock" }
}
