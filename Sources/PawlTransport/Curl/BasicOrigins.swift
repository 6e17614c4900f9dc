internal import Synchronization

/// The folders of origins where servers accepted Basic credentials (RFC 7617) and offered no safer
/// scheme.
///
/// Learning which scheme a server wants costs a round trip. Further connections need not repeat it.
final class BasicOrigins: Sendable {
    private static let limit = 1_024
    private let origins = Mutex<Set<String>>([])

    func contains(_ origin: String) -> Bool { origins.withLock { $0.contains(origin) } }

    func insert(_ origin: String) {
        origins.withLock { origins in
            // Forgetting costs one round trip; growing without a limit costs memory.
            if origins.count >= Self.limit { origins.removeAll() }
            origins.insert(origin)
        }
    }

    /// Removes an origin that refused Basic credentials: it may want another scheme by now.
    func remove(_ origin: String) { origins.withLock { _ = $0.remove(origin) } }
}
