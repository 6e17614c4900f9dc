internal import DequeModule
internal import CPlatform
internal import Glibc

typealias Job = @Sendable () -> Void

/// The jobs of a pool and the number of its threads.
///
/// `@unchecked Sendable`: all variables are guarded by `mutex`, which has a fixed address while the
/// queue lives. A condition variable cannot wait on a `Mutex`.
final class JobQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrived = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs = Deque<Job>()
    private var idle = 0
    private var threads = 0
    private var isClosed = false
    /// How long a thread waits for a job before it ends.
    private let idleTime: Duration

    enum Acceptance { case accepted, needsThread, closed }

    init(idleTime: Duration) {
        self.idleTime = idleTime
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrived, nil)
    }

    deinit {
        pthread_cond_destroy(arrived)
        pthread_mutex_destroy(mutex)
        arrived.deallocate()
        mutex.deallocate()
    }

    /// Adds a job.
    ///
    /// With `needsThread`, the thread that the caller must start counts as started.
    func push(_ job: @escaping Job, limit: Int) -> Acceptance {
        locked {
            guard !isClosed else { return .closed }
            jobs.append(job)
            pthread_cond_signal(arrived)
            guard jobs.count > idle, threads < limit else { return .accepted }
            threads += 1
            return .needsThread
        }
    }

    /// Records that a thread did not start.
    ///
    /// Returns `true` if there is no other thread: then the caller's thread counts as one until
    /// `popAtOnce` returns `nil`.
    func threadDidNotStart() -> Bool {
        locked {
            guard threads == 1 else {
                threads -= 1
                return false
            }
            return true
        }
    }

    /// Returns a job for the caller's thread, which stands in for one that did not start.
    ///
    /// Returns `nil` if there is none; then the caller's thread no longer counts.
    func popAtOnce() -> Job? {
        locked {
            guard let job = jobs.popFirst() else {
                threads -= 1
                return nil
            }
            return job
        }
    }

    /// Waits for a job.
    ///
    /// Returns `nil` once the queue is closed and empty, or there was no job for the idle time,
    /// which ends the thread.
    func pop() -> Job? {
        let end = Self.time(after: idleTime)
        return locked {
            while jobs.isEmpty {
                if isClosed {
                    threads -= 1
                    return nil
                }
                idle += 1
                let isOver = waitForJob(at: end)
                idle -= 1
                // A job may have arrived in the last moment.
                if isOver, jobs.isEmpty, !isClosed {
                    threads -= 1
                    return nil
                }
            }
            return jobs.removeFirst()
        }
    }

    /// Returns whether the time has come.
    private func waitForJob(at end: timespec) -> Bool {
        var end = end
        return pthread_cond_timedwait(arrived, mutex, &end) == ETIMEDOUT
    }

    /// Returns the time by the system's clock; if that is set, a thread ends early or late.
    private static func time(after duration: Duration) -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let (seconds, attoseconds) = duration.components
        let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000)
        time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        return time
    }

    /// Closes the queue.
    ///
    /// Waiting jobs are still run; new ones are refused.
    func close() {
        locked {
            isClosed = true
            pthread_cond_broadcast(arrived)
        }
    }

    var threadCount: Int { locked { threads } }

    private func locked<T>(_ body: () -> T) -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
