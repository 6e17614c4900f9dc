import Glibc
import SystemPackage

/// Reports when the kernel has released a file system (`IN_UNMOUNT` of `inotify(7)`).
///
/// It does not keep the file system mounted.
final class UnmountWatch: Sendable {
    private let queue: Int32

    private static let longestWaitMilliseconds: Int32 = 20_000

    /// Watches the file system that contains the path.
    init(_ path: String) throws(Errno) {
        let queue = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard queue >= 0 else { throw Errno(rawValue: errno) }
        // The kernel adds IN_UNMOUNT to the events of each watch.
        guard inotify_add_watch(queue, path, UInt32(IN_DELETE_SELF)) >= 0 else {
            let error = Errno(rawValue: errno)
            close(queue)
            throw error
        }
        self.queue = queue
    }

    deinit { close(queue) }

    /// Waits until no mount and no open file of the file system is left.
    ///
    /// Throws `.resourceBusy` after 20 seconds.
    func wait() throws(Errno) {
        var entry = pollfd(fd: queue, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&entry, 1, Self.longestWaitMilliseconds)
            if count > 0 { return }
            guard count < 0, errno == EINTR else { throw .resourceBusy }
        }
    }
}
