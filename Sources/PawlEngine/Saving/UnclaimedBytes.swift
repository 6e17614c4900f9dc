internal import PawlCore
internal import Synchronization

/// Counts the bytes that no checkpoint claims yet, and reports when a checkpoint is due.
///
/// A crash may cost at most 16 MiB, so the driver is woken at half of that. A transfer that comes
/// close to 16 MiB waits until the checkpoint was written; bytes that others have gathered may
/// still follow.
final class UnclaimedBytes: Sendable {
    static let wakeBytes: Int64 = 8 << 20
    static let mostBytes: Int64 = 13 << 20

    private let unclaimed = Atomic<Int64>(0)
    private let wake: @Sendable () -> Void

    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    var bytes: Int64 { unclaimed.load(ordering: .relaxed) }

    /// Whether transfers must wait.
    var isBehind: Bool { unclaimed.load(ordering: .sequentiallyConsistent) >= Self.mostBytes }

    func wrote(_ count: Int) {
        let (before, after) = unclaimed.add(Int64(count), ordering: .relaxed)
        if before < Self.wakeBytes, after >= Self.wakeBytes { wake() }
    }

    /// Subtracts bytes that are claimed now.
    ///
    /// Bytes received meanwhile still count.
    func claimed(_ count: Int64) {
        let (_, left) = unclaimed.subtract(count, ordering: .sequentiallyConsistent)
        if left >= Self.wakeBytes { wake() }
    }
}
