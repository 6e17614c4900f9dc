import Glibc
import SystemPackage

/// Threads for code that blocks, which Swift's own pool must not run.
enum BlockingThread {
    private final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a thread of its own, which ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
        let context = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, enter, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw Errno(rawValue: code)
        }
        pthread_detach(thread)
    }

    private static let enter:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
            { context in
                guard let context else { return nil }
                blockBrokenPipes()
                Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }

    /// A write to a peer that has gone must be an error, not the end of the test run: OpenSSL
    /// writes without MSG_NOSIGNAL.
    ///
    /// The signal goes to the thread that wrote, so masking it here leaves the rest of the process
    /// alone.
    private static func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
