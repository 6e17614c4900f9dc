package import PawlCore
internal import Synchronization

/// Whether the lease of this node is valid at this moment; any thread may ask.
package final class LeaseClock: Sendable {
    private let end = Atomic<Int64>(0)

    package init() {}

    /// The time on a clock that advances while the machine is suspended, too: on Linux,
    /// `ContinuousClock` reads `CLOCK_BOOTTIME`.
    package static func now() -> Moment { SystemTimekeeper().now() }

    /// Whether the node may do something that lasts.
    package var isValid: Bool { Self.now().nanoseconds < end.load(ordering: .acquiring) }

    func setEnd(_ moment: Moment) { end.store(moment.nanoseconds, ordering: .releasing) }
}
