import Glibc

/// A door for threads: each that comes waits until it is let through.
///
/// `@unchecked Sendable`: the semaphore is made for several threads, at an address of its own.
package final class Gate: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Lets one thread through: one that waits, or the next that comes.
    package func open() { sem_post(semaphore) }

    /// Blocks the thread.
    package func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
