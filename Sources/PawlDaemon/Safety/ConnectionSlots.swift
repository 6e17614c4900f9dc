/// Decides which connections may stay (pure).
///
/// The number of unauthenticated connections is bounded: a new one replaces the oldest of them, and
/// never an authenticated one. Each authority gets a share of the authenticated connections.
package struct ConnectionSlots: Sendable {
    private let limits: ConnectionLimits
    /// The connections without a valid token or cookie, the oldest first.
    private var unauthenticated: [Int] = []
    private var authenticated: [Int: Authority] = [:]
    private var counts: [Authority: Int] = [:]

    package init(_ limits: ConnectionLimits) { self.limits = limits }

    package enum Entry: Sendable, Hashable {
        case taken
        /// The connection of this number has to be closed to make room for the new one.
        case takenFrom(Int)
        case full
    }

    /// Adds a connection; its number must not have been used before.
    package mutating func enter(_ number: Int) -> Entry {
        guard authenticated.count < limits.connections else { return .full }
        unauthenticated.append(number)
        guard unauthenticated.count > limits.unknownConnections else { return .taken }
        return .takenFrom(unauthenticated.removeFirst())
    }

    /// Records that a connection is authenticated; returns whether there is a slot for it.
    ///
    /// A connection without a slot stays unauthenticated, so a new one may replace it.
    package mutating func recognize(_ number: Int, as authority: Authority) -> Bool {
        guard let index = unauthenticated.firstIndex(of: number) else { return true }
        let count = counts[authority] ?? 0
        guard count < limits.connectionsEach, authenticated.count < limits.connections else {
            return false
        }
        unauthenticated.remove(at: index)
        authenticated[number] = authority
        counts[authority] = count + 1
        return true
    }

    package mutating func leave(_ number: Int) {
        guard let authority = authenticated.removeValue(forKey: number) else {
            return unauthenticated.removeAll { $0 == number }
        }
        let left = (counts[authority] ?? 1) - 1
        counts[authority] = left > 0 ? left : nil
    }
}
