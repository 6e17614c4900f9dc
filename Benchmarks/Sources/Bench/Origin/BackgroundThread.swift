internal import Glibc

/// A separate thread for blocking work.
enum BackgroundThread {
    private final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func start(_ body: @escaping @Sendable () -> Void) throws {
        let context = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, enter, context.toOpaque()) == 0 else {
            context.release()
            throw BenchError("cannot start a thread")
        }
        pthread_detach(thread)
    }

    private static let enter:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            guard let context else { return nil }
            // The main thread handles Ctrl-C.
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
            return nil
        }
}
