import Glibc
package import SystemPackage

/// Methods that wait for changes in folders, which the kernel reports (`inotify(7)`).
///
/// When the task is cancelled by a suite's time limit, they return as if the wait were over.
extension ScratchFolder {
    /// Waits until the folder contains the named entry, whose parent folders need not exist yet.
    ///
    /// Throws `Errno`.
    package func wait(for name: String) async throws(Errno) {
        let parts = name.split(separator: "/").dropLast().map(String.init)
        let parents = parts.indices.map { path(parts[...$0].joined(separator: "/")) }
        try await Self.wait(watching: [path] + parents) { self.exists(name) }
    }

    /// Waits until a condition is met that depends on the entries of the folder or of one within
    /// it.
    ///
    /// Throws `Errno`.
    package func wait(
        in folder: String = ".",
        until isMet: @escaping @Sendable (ScratchFolder) -> Bool
    ) async throws(Errno) {
        try await Self.wait(watching: [path, path(folder)]) { isMet(self) }
    }

    /// Waits until the file does not exist, in any folder.
    ///
    /// Throws `Errno`.
    package static func wait(untilGone path: String) async throws(Errno) {
        let parent = FilePath(path).removingLastComponent().string
        try await wait(watching: [parent]) { access(path, F_OK) != 0 }
    }

    private static func wait(
        watching folders: [String],
        until isMet: @escaping @Sendable () -> Bool
    ) async throws(Errno) {
        let queue = try ChangeQueue()
        let isOver = Observed(false)
        try BlockingThread.start {
            while true {
                // The loop watches first and checks then, so that it misses no change in between.
                for folder in folders { queue.watch(folder) }
                guard !isMet(), queue.waitForChange() else { break }
            }
            isOver.update { $0 = true }
        }
        await isOver.wait { $0 }
        queue.stop()
    }
}

/// The kernel's queue of changes, with a pipe that ends the wait.
private final class ChangeQueue: Sendable {
    private let queue: Int32
    private let stopReader: Int32
    private let stopWriter: Int32

    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (stopReader, stopWriter) = (ends[0], ends[1])
        queue = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard queue >= 0 else {
            let code = errno
            for end in ends { close(end) }
            throw Errno(rawValue: code)
        }
    }

    deinit { for descriptor in [queue, stopReader, stopWriter] { close(descriptor) } }

    /// Watches a folder; does nothing if the folder does not exist or is already watched.
    func watch(_ folder: String) {
        let changes = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE
        inotify_add_watch(queue, folder, UInt32(changes))
    }

    /// Waits for a change; returns false if the wait was ended.
    func waitForChange() -> Bool {
        var entries = [queue, stopReader].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
        guard entries[1].revents == 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while read(queue, &bytes, bytes.count) > 0 {}
        return true
    }

    func stop() { _ = write(stopWriter, [0], 1) }
}
