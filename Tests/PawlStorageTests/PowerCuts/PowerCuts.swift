import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import Testing

/// What a power cut leaves, on real file systems: one suite after the other, as each has the disk
/// busy and cuts it at moments that are meant to be random.
///
/// Only root may mount, and a container may have no loop devices.
@Suite(
    .timeLimit(.minutes(2)),
    .serialized,
    .enabled(if: LoopVolume.isAvailable, "needs root, loop devices, mkfs.ext4 and mkfs.xfs")
)
enum PowerCuts {
    /// Threads for the calls that the cut comes upon.
    static let pool = BlockingPool(threads: 3, name: "power cut")

    /// Keeps a thread busy for so long: finer than any timer.
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
