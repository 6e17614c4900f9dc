import Glibc

/// A gate for threads: each thread waits until it is admitted.
///
/// `@unchecked Sendable`: the semaphore supports several threads and has its own address.
package final class Gate: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Admits one thread: one that waits, or the next one that arrives.
    package func open() { sem_post(semaphore) }

    /// Blocks the thread until it is admitted.
    package func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
