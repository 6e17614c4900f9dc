// Imported first because its headers also declare `sigset_t`, and a module uses the first
// declaration.
internal import CPlatform
internal import Glibc

/// The signals that interrupt or stop a run.
///
/// They are blocked in every thread and received by `wait()`, so that no code runs in a signal
/// handler.
struct SignalSet {
    private var set = sigset_t()
    private static let ending = [SIGINT, SIGTERM, SIGHUP]

    /// Blocks the signals in this thread and those that it starts.
    ///
    /// Must be called before any other thread runs.
    static func block() -> SignalSet {
        var signals = SignalSet()
        sigemptyset(&signals.set)
        for number in ending + [SIGTSTP] where !isIgnored(number) {
            sigaddset(&signals.set, number)
        }
        pthread_sigmask(SIG_BLOCK, &signals.set, nil)
        return signals
    }

    /// Waits for the next signal.
    func wait() -> Int32 {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }

    /// Performs the default action of the signal: ends or stops the process.
    func raiseByDefault(_ number: Int32) {
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, number)
        signal(number, SIG_DFL)
        kill(getpid(), number)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
        pthread_sigmask(SIG_BLOCK, &only, nil)
    }

    /// Whether `nohup` or a shell has set the process to ignore the signal, which it then keeps
    /// ignoring.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
