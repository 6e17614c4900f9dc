internal import Glibc

/// Runs the work beside a loop that takes signals: the first cancels it, the second ends at once.
enum SignalLoop {
    /// Ends the process with the status that the work gives.
    ///
    /// To be called on the main thread, which then waits for signals; the work runs on Swift's own
    /// threads.
    static func run(console: Console, _ work: @escaping @Sendable () async -> Int32) -> Never {
        let signals = SignalSet.block()
        let task = Task {
            let status = await work()
            console.removeBlock()
            exit(console.exitStatus(after: status))
        }
        var wasAsked = false
        while true {
            let number = signals.wait()
            if number == SIGTSTP || wasAsked {
                // The block is drawn again by the next tick after the process goes on.
                console.withoutBlockIfFree { signals.raiseByDefault(number) }
            } else {
                wasAsked = true
                task.cancel()
                console.redrawBlockIfFree()
            }
        }
    }
}
