internal import Foundation

/// The signal of a write to a pipe that nobody reads.
enum BrokenPipe {
    /// Runs `body` so that such a write is an error and does not end the program.
    ///
    /// The kernel sends the signal to the thread that wrote, so the mask of other threads stays as
    /// it is.
    static func withoutSignal<Value>(_ body: () -> Value) -> Value {
        #if canImport(Glibc)
        var (signals, before, waiting) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigpending(&waiting)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        let value = body()
        if sigismember(&waiting, SIGPIPE) == 0 {
            var now = timespec()
            sigtimedwait(&signals, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return value
        #else
        return body()
        #endif
    }
}
