import Glibc
import Synchronization

/// Lets threads through once it is open.
///
/// For the origin's threads, which may block.
final class Gate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func pass() {
        while !isOpen.withLock({ $0 }) { sched_yield() }
    }
}
