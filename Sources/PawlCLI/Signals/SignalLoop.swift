internal import Glibc

/// Runs work beside a loop that receives signals.
///
/// The first signal cancels the work, the second ends the process.
enum SignalLoop {
    /// Ends the process with the status that the work returns.
    ///
    /// Must be called on the main thread, which then waits for signals. The work runs on Swift's
    /// own threads.
    static func run(console: Console, _ work: @escaping @Sendable () async -> Int32) -> Never {
        let signals = SignalSet.block()
        let task = Task {
            let status = await work()
            console.removeBlock()
            // Handlers of `exit` would take libraries away from threads that are still closing
            // connections: OpenSSL's makes them crash.
            _exit(console.exitStatus(after: status))
        }
        var isCancelled = false
        while true {
            let number = signals.wait()
            if number == SIGTSTP || isCancelled {
                // After SIGCONT, the next tick draws the live block again.
                console.withoutBlockIfFree { signals.raiseByDefault(number) }
            } else {
                isCancelled = true
                task.cancel()
                console.redrawBlockIfFree()
            }
        }
    }
}
