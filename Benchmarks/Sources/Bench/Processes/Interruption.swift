internal import Glibc
internal import Synchronization

private let isInterrupted = Atomic<Bool>(false)

/// Makes Ctrl-C and SIGTERM interrupt the benchmark's waits, so that it can clean up.
enum Interruption {
    static func watch() {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            isInterrupted.store(true, ordering: .relaxed)
        }
        // Without SA_RESTART, interrupted calls return.
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
        sigaction(SIGHUP, &action, nil)
        // A client that disconnects must not end the benchmark.
        signal(SIGPIPE, SIG_IGN)
    }

    static func check() throws {
        if isInterrupted.load(ordering: .relaxed) { throw Interrupted() }
    }
}
