import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import Testing

/// The effects of a power cut on real file systems.
///
/// The suites run serially, because each keeps the disk busy and cuts its power at moments that are
/// meant to be random.
///
/// Only root can mount, and a container may have no loop devices.
@Suite(
    .timeLimit(.minutes(5)),
    .serialized,
    .enabled(if: LoopVolume.isAvailable, "needs root, loop devices, mkfs.ext4 and mkfs.xfs")
)
enum PowerCuts {
    /// Threads for the calls that the cut interrupts.
    static let pool = BlockingPool(threads: 3, name: "power cut")

    /// Keeps a thread busy for a duration, with a finer resolution than any timer.
    static func linger(_ time: Duration) async throws {
        try await pool.run { () throws(DownloadError) in
            let clock = SystemTimekeeper()
            let end = clock.now() + time
            while clock.now() < end { sched_yield() }
        }
    }
}

extension BootIdentity {
    static func numbered(_ number: Int) -> BootIdentity { BootIdentity("boot \(number)") }
}
