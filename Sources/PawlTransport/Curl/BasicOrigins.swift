internal import Synchronization

/// Where servers have taken Basic credentials (RFC 7617), and offered nothing safer: folders of origins.
///
/// Which scheme a server wants costs a round to learn; further connections need not learn it again.
final class BasicOrigins: Sendable {
    private static let limit = 1_024
    private let origins = Mutex<Set<String>>([])

    func contains(_ origin: String) -> Bool { origins.withLock { $0.contains(origin) } }

    func insert(_ origin: String) {
        origins.withLock { origins in
            // Forgetting costs a round, growing without end costs memory.
            if origins.count >= Self.limit { origins.removeAll() }
            origins.insert(origin)
        }
    }

    /// It refused them: it may want another scheme by now.
    func remove(_ origin: String) { origins.withLock { _ = $0.remove(origin) } }
}
