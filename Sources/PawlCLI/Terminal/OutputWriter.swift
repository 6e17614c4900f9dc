internal import Glibc
internal import PawlCore

/// Writes bytes to standard output without hanging in a pipe from which nobody reads.
final class OutputWriter: Sendable {
    /// The time between two checks while the reader takes nothing, in milliseconds.
    private static let checkInterval: Int32 = 200
    /// The number of bytes that a pipe takes without blocking if it takes any (pipe(7)).
    private static let pipeBytes = 4096
    private static let mostBytes = 64 * 1024

    private let file: Int32
    private let isPipe: Bool
    /// Another opening of the pipe, which does not block; -1 if there is none.
    ///
    /// The flag would also apply to other programs that write to the same opening.
    private let pipe: Int32

    init(_ file: Int32) {
        self.file = file
        var status = stat()
        isPipe = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        pipe =
            isPipe ? open("/proc/self/fd/\(file)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1
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
            guard isPipe ? isReady : true else { continue }
            let most = isPipe && pipe < 0 ? Self.pipeBytes : Self.mostBytes
            let count = Glibc.write(
                pipe >= 0 ? pipe : file,
                bytes.baseAddress?.advanced(by: written),
                min(most, bytes.count - written)
            )
            if count >= 0 {
                written += count
            } else if ![EINTR, EAGAIN].contains(errno) {
                return errno
            }
        }
        return nil
    }

    /// Waits for a moment; returns whether the pipe takes bytes, or has failed.
    private var isReady: Bool {
        var wait = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        return poll(&wait, 1, Self.checkInterval) > 0
    }
}
