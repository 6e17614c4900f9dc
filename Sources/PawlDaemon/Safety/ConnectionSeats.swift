/// Which connections may be there (pure): a bounded number of strangers, who make room for each other and
/// never for those who have shown that they may ask; of these, nobody takes more than a share.
package struct ConnectionSeats: Sendable {
    private let limits: ConnectionLimits
    /// Those that have shown nothing yet, the oldest first.
    private var strangers: [Int] = []
    private var known: [Int: Authority] = [:]
    private var counts: [Authority: Int] = [:]

    package init(_ limits: ConnectionLimits) { self.limits = limits }

    package enum Entry: Sendable, Hashable {
        case taken
        /// The connection of that number is to be closed for it.
        case takenFrom(Int)
        case full
    }

    /// A connection has come; numbers are never used again.
    package mutating func enter(_ number: Int) -> Entry {
        guard known.count < limits.connections else { return .full }
        strangers.append(number)
        guard strangers.count > limits.unknownConnections else { return .taken }
        return .takenFrom(strangers.removeFirst())
    }

    /// It has sent what lets it in; returns whether there is a seat for it.
    ///
    /// One without a seat stays a stranger, who makes room for the next one.
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
