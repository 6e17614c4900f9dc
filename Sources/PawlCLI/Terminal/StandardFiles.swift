internal import Glibc
internal import Synchronization

/// Standard input, output and error of this process.
enum StandardFiles {
    private static let lacksOutput = Atomic<Bool>(false)

    /// Whether the process was started with a closed standard output.
    static var isOutputMissing: Bool { lacksOutput.load(ordering: .relaxed) }

    /// Opens `/dev/null` as each standard file that is closed.
    ///
    /// Otherwise the next file that is opened, such as a download, would receive the output.
    static func open() {
        lacksOutput.store(fcntl(STDOUT_FILENO, F_GETFD) < 0, ordering: .relaxed)
        var file: Int32 = 0
        while (0...STDERR_FILENO).contains(file) { file = Glibc.open("/dev/null", O_RDWR) }
        if file > STDERR_FILENO { close(file) }
    }
}
