/// Decides which connections may exist (pure).
///
/// The number of unknown clients is limited. A new one replaces the oldest of them, but never a
/// client that has proven its authority. No authority gets more than its share.
package struct ConnectionSeats: Sendable {
    private let limits: ConnectionLimits
    /// The connections that have not presented a token or cookie yet, the oldest first.
    private var strangers: [Int] = []
    private var known: [Int: Authority] = [:]
    private var counts: [Authority: Int] = [:]

    package init(_ limits: ConnectionLimits) { self.limits = limits }

    package enum Entry: Sendable, Hashable {
        case taken
        /// The connection of that number must be closed for it.
        case takenFrom(Int)
        case full
    }

    /// Adds a connection.
    ///
    /// Numbers are never reused.
    package mutating func enter(_ number: Int) -> Entry {
        guard known.count < limits.connections else { return .full }
        strangers.append(number)
        guard strangers.count > limits.unknownConnections else { return .taken }
        return .takenFrom(strangers.removeFirst())
    }

    /// Records that a connection has proven its authority.
    ///
    /// Returns whether there is a seat for it.
    ///
    /// A connection without a seat stays unknown, so it may be closed for the next one.
    package mutating func recognize(_ number: Int, as authority: Authority) -> Bool {
        guard let index = strangers.firstIndex(of: number) else { return true }
        let count = counts[authority] ?? 0
        guard count < limits.connectionsEach, known.count < limits.connections else {
            return false
        }
        strangers.remove(at: index)
        known[number] = authority
        counts[authority] = count + 1
        return true
    }

    package mutating func leave(_ number: Int) {
        guard let authority = known.removeValue(forKey: number) else {
            return strangers.removeAll { $0 == number }
        }
        let left = (counts[authority] ?? 1) - 1
        counts[authority] = left > 0 ? left : nil
    }
}
