internal import Synchronization

/// The origins to which connections must not be shared: they did not agree to HTTP/2, or their
/// shared connection fell silent.
final class SerialOrigins: Sendable {
    private static let limit = 1_024
    private let origins = Mutex<Set<String>>([])

    func contains(_ origin: String) -> Bool {
        origins.withLock { $0.contains(origin) || $0.count >= Self.limit }
    }

    /// Adds an origin.
    ///
    /// Returns `false` if it was already known.
    ///
    /// Nothing is forgotten: a request that shares an HTTP/1.1 connection would receive the
    /// response to another. When the limit is reached, no connection is shared with any origin.
    func insert(_ origin: String) -> Bool {
        origins.withLock { origins in
            guard origins.count < Self.limit else { return false }
            return origins.insert(origin).inserted
        }
    }
}
