internal import Synchronization

/// Where connections are not to be shared: origins that did not agree to HTTP/2, or whose shared
/// connection fell silent.
final class SerialOrigins: Sendable {
    private static let limit = 1_024
    private let origins = Mutex<Set<String>>([])

    func contains(_ origin: String) -> Bool {
        origins.withLock { $0.contains(origin) || $0.count >= Self.limit }
    }

    /// False where that was known.
    ///
    /// Nothing is forgotten, as a request that shares an HTTP/1.1 connection gets the answer to
    /// another: beyond the limit no connection is shared with anybody.
    func insert(_ origin: String) -> Bool {
        origins.withLock { origins in
            guard origins.count < Self.limit else { return false }
            return origins.insert(origin).inserted
        }
    }
}
