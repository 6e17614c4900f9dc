internal import Glibc
internal import Pawl

/// Gives memory back when the daemon has nothing to do.
///
/// What it holds then is mostly its own program, of which a start or a download has touched much once,
/// and what a large request has left in the heap.
package final class IdleMemory: Sendable {
    private let bell = Bell()
    private let isBusy: @Sendable () -> Bool

    init(isBusy: @Sendable @escaping () -> Bool) { self.isBusy = isBusy }

    /// Something was done, so that there will be something to give back.
    func used() { bell.ring() }

    /// Gives back what is not used, a while after something was done; until the task is cancelled.
    ///
    /// While nothing is done it does not wake.
    func run() async {
        while !Task.isCancelled {
            repeat {
                // Cancelled is what the loops look at.
                try? await Task.sleep(for: Self.rest)
            } while isBusy() && !Task.isCancelled
            Self.giveBack()
            await bell.wait()
        }
    }

    private static let rest: Duration = .seconds(2)

    /// malloc_trim(3), which Swift's module of Glibc leaves out.
    private static let trimHeap = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    private static func giveBack() {
        _ = trimHeap?(0)
        ProgramCode.giveBack()
    }
}
