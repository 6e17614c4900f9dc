import Glibc
package import SystemPackage

/// Threads for code that blocks, which must not run in Swift's own pool.
package enum BlockingThread {
    private final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on its own thread, which ends with `body`.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
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

    /// Masks SIGPIPE, so that a write to a disconnected peer is an error and does not end the test
    /// run.
    ///
    /// OpenSSL writes without MSG_NOSIGNAL. The kernel sends the signal to the thread that wrote,
    /// so the mask leaves the rest of the process alone.
    private static func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
