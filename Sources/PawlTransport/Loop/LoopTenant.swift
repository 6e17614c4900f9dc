internal import PawlCore
internal import Synchronization

/// One transport as the loops see it.
///
/// Transports may share loops, but no connection, no TLS session, and nothing that servers have
/// shown.
final class LoopTenant: Sendable {
    private static let count = Atomic<Int>(0)

    let basicOrigins = BasicOrigins()
    let serialOrigins = SerialOrigins()
    fileprivate let number = count.add(1, ordering: .relaxed).newValue
    private let hasLeft = Atomic<Bool>(false)

    /// Whether no transfer may start any more.
    var isClosed: Bool { hasLeft.load(ordering: .acquiring) }

    /// Refuses new transfers.
    ///
    /// Returns `false` if they were refused already.
    func close() -> Bool { !hasLeft.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The transfers that can use the same connections: those of one transport whose connections are
/// made in the same way.
///
/// libcurl itself compares most of what decides how a connection is made, but not all, and has had
/// faults in it.
struct ConnectionGroup: Hashable, Sendable {
    private static let usualPath = ConnectionSettings().path

    let tenant: ObjectIdentifier
    private let number: Int
    /// The settings that decide how a connection is made; `nil` for the usual ones.
    private let path: ConnectionSettings?

    init(_ tenant: LoopTenant, _ settings: ConnectionSettings) {
        self.tenant = ObjectIdentifier(tenant)
        number = tenant.number
        let path = settings.path
        self.path = path == Self.usualPath ? nil : path
    }

    /// Returns the name under which loops count connections of the group to an origin.
    ///
    /// A collision leads to a less suitable loop, and to nothing worse.
    func key(_ origin: String) -> String {
        "\(number) \(path.map { "\($0.hashValue) " } ?? "")\(origin)"
    }
}
