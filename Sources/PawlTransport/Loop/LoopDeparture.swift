internal import Glibc

/// What waits until a loop has ended all transfers of a transport.
///
/// `@unchecked Sendable`: the semaphore has a fixed address and is made for several threads.
final class LoopDeparture: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Resumes `wait`.
    func complete() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0, errno == EINTR {} }
}
