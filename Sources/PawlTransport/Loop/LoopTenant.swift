internal import Synchronization

/// One transport as the loops see it.
///
/// Transports may share loops, but no connection, no TLS session, and nothing that servers have
/// shown.
final class LoopTenant: Sendable {
    private static let count = Atomic<Int>(0)

    let basicOrigins = BasicOrigins()
    let serialOrigins = SerialOrigins()
    private let number = count.add(1, ordering: .relaxed).newValue
    private let hasLeft = Atomic<Bool>(false)

    /// Whether no transfer may start any more.
    var isClosed: Bool { hasLeft.load(ordering: .acquiring) }

    /// Refuses new transfers.
    ///
    /// Returns `false` if they were refused already.
    func close() -> Bool { !hasLeft.exchange(true, ordering: .acquiringAndReleasing) }

    /// Returns the name under which loops count connections of this transport to an origin.
    func key(_ origin: String) -> String { "\(number) \(origin)" }
}
