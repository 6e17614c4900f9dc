/// Decides which connections may stay (pure).
///
/// The number of unauthenticated connections is bounded: a new one replaces the oldest of them, and
/// never an authenticated one. Each authority gets a share of the authenticated connections.
package struct ConnectionSlots: Sendable {
    private let limits: ConnectionLimits
    /// The connections without a valid token or cookie, the oldest first.
    private var unauthenticated: [Int] = []
    /// Those that may stay to listen, the oldest first.
    private var listening: [Int] = []
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

    /// Lets an unauthenticated connection stay to listen: it makes no room for others that do not
    /// listen.
    ///
    /// Returns the number of the connection that has to be closed to make room for it, if any.
    package mutating func listen(_ number: Int) -> Int? {
        guard let index = unauthenticated.firstIndex(of: number) else { return nil }
        unauthenticated.remove(at: index)
        listening.append(number)
        return listening.count > limits.listeners ? listening.removeFirst() : nil
    }

    /// Records that a connection is authenticated; returns whether there is a slot for it.
    ///
    /// A connection without a slot stays unauthenticated, so a new one may replace it.
    package mutating func recognize(_ number: Int, as authority: Authority) -> Bool {
        guard unauthenticated.contains(number) || listening.contains(number) else { return true }
        let count = counts[authority] ?? 0
        guard count < limits.connectionsEach, authenticated.count < limits.connections else {
            return false
        }
        removeUnauthenticated(number)
        authenticated[number] = authority
        counts[authority] = count + 1
        return true
    }

    package mutating func leave(_ number: Int) {
        guard let authority = authenticated.removeValue(forKey: number) else {
            return removeUnauthenticated(number)
        }
        let left = (counts[authority] ?? 1) - 1
        counts[authority] = left > 0 ? left : nil
    }

    private mutating func removeUnauthenticated(_ number: Int) {
        unauthenticated.removeAll { $0 == number }
        listening.removeAll { $0 == number }
    }
}
