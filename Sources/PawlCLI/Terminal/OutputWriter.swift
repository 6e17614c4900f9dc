internal import Glibc
internal import PawlCore

/// Writes bytes to standard output without hanging in a pipe or a socket from which nobody reads.
final class OutputWriter: Sendable {
    private enum Kind {
        /// A file or a terminal.
        case plain
        case pipe, socket
    }

    /// The time between two checks while the reader takes nothing, in milliseconds.
    private static let checkInterval: Int32 = 200
    /// The number of bytes that a pipe takes without blocking if it takes any (pipe(7)).
    private static let pipeBytes = 4096
    private static let mostBytes = 64 * 1024

    private let file: Int32
    private let kind: Kind
    /// Another opening of the pipe, which does not block; -1 if there is none.
    ///
    /// The flag would also apply to other programs that write to the same opening.
    private let pipe: Int32

    init(_ file: Int32) {
        self.file = file
        var status = stat()
        let type = fstat(file, &status) == 0 ? status.st_mode & S_IFMT : 0
        kind = type == S_IFIFO ? .pipe : type == S_IFSOCK ? .socket : .plain
        pipe =
            kind == .pipe ? open("/proc/self/fd/\(file)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1
    }

    deinit { if pipe >= 0 { close(pipe) } }

    /// Writes all bytes, or returns the `errno` of the failure.
    ///
    /// While it waits, it calls `check` several times per second, and throws its error.
    func write(
        _ bytes: UnsafeRawBufferPointer,
        _ check: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> Int32? {
        var written = 0
        while written < bytes.count {
            try check()
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let (count, failure) = writeReady(rest, within: Self.checkInterval)
            if let failure { return failure }
            written += count
        }
        return nil
    }

    /// Writes what the reader takes within a time in milliseconds; returns the number of bytes, or
    /// the `errno` of the failure.
    func writeReady(_ bytes: UnsafeRawBufferPointer, within time: Int32 = 0) -> (Int, Int32?) {
        guard !bytes.isEmpty, isReady(within: time) else { return (0, nil) }
        let count = writeSome(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.mostBytes)))
        if count >= 0 { return (count, nil) }
        return (0, [EINTR, EAGAIN].contains(errno) ? nil : errno)
    }

    /// Writes what the file takes now, and returns the number of bytes.
    private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch kind {
        case .plain: Glibc.write(file, bytes.baseAddress, bytes.count)
        case .pipe where pipe >= 0: Glibc.write(pipe, bytes.baseAddress, bytes.count)
        case .pipe: Glibc.write(file, bytes.baseAddress, min(bytes.count, Self.pipeBytes))
        case .socket: send(file, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
        }
    }

    /// Waits for a time; returns whether the reader takes bytes, or has failed.
    private func isReady(within time: Int32) -> Bool {
        var wait = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        return poll(&wait, 1, time) > 0
    }
}
