internal import Glibc
internal import Pawl

/// Runs work beside a loop that receives signals.
///
/// The first signal cancels the work, the second ends the process.
enum SignalLoop {
    /// Ends the process with the status that the work returns.
    ///
    /// Must be called on the main thread, which then waits for signals. The work runs on Swift's
    /// own threads.
    ///
    /// `conditions`: what interrupts the work as a signal does.
    static func run(
        console: Console,
        until conditions: [StopCondition] = [],
        _ work: @escaping @Sendable () async -> Int32
    ) -> Never {
        let signals = SignalSet.block()
        if !conditions.isEmpty {
            Task {
                await StopCondition.waitForFirst(conditions)
                kill(getpid(), SIGTERM)
            }
        }
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
