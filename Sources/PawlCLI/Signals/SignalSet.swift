// Its headers bring `sigset_t`, too, and a whole module has it from whom it asked first.
internal import CPlatform
internal import Glibc

/// The signals that wind up a run or stop it.
///
/// They are blocked in every thread and taken from here, so that no code has to be safe against a
/// handler.
struct SignalSet {
    private var set = sigset_t()
    private static let ending = [SIGINT, SIGTERM, SIGHUP]

    /// Blocks them in this thread and in those it will start; call before any other thread runs.
    static func block() -> SignalSet {
        var signals = SignalSet()
        sigemptyset(&signals.set)
        for number in ending + [SIGTSTP] where !isIgnored(number) {
            sigaddset(&signals.set, number)
        }
        pthread_sigmask(SIG_BLOCK, &signals.set, nil)
        return signals
    }

    /// Waits for the next one.
    func wait() -> Int32 {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }

    /// Lets the signal do what it does by default: end or stop the process.
    func raiseByDefault(_ number: Int32) {
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, number)
        signal(number, SIG_DFL)
        kill(getpid(), number)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
        pthread_sigmask(SIG_BLOCK, &only, nil)
    }

    /// `nohup` and shells that start something in the background ignore some; that holds on.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
