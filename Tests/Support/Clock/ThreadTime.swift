import Glibc

/// The CPU time of the calling thread, which does not depend on other work of the machine.
package enum ThreadTime {
    /// Returns the CPU time that the calling thread has used so far.
    package static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
