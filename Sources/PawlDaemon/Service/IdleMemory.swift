internal import Glibc
internal import Pawl
internal import PawlCore

/// Returns memory to the system when the daemon is idle.
///
/// Most of this memory is code of the program, much of which is needed only once, and heap that a
/// large request has left.
package final class IdleMemory: Sendable {
    private let wakeup = Wakeup()
    private let isBusy: @Sendable () -> Bool

    init(isBusy: @Sendable @escaping () -> Bool) { self.isBusy = isBusy }

    /// Notes that the daemon has done something, which may have left memory to return.
    func used() { wakeup.send() }

    /// Returns unused memory a while after the daemon has done something, until the task is
    /// cancelled.
    ///
    /// It does not wake while the daemon is idle.
    func run() async {
        while !Task.isCancelled {
            repeat {
                // The loops check for cancellation.
                try? await Task.sleep(for: Self.rest)
            } while isBusy() && !Task.isCancelled
            Self.returnToSystem()
            await wakeup.wait()
        }
    }

    private static let rest: Duration = .seconds(2)

    /// malloc_trim(3), which Swift's Glibc module does not export.
    private static let trimHeap = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    private static func returnToSystem() {
        _ = trimHeap?(0)
        ProgramCode.returnToSystem()
    }
}
