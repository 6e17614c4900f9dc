/// Which connections may be there (pure): a bounded number of strangers, who make room for each other and
/// never for those who have shown that they may ask.
package struct ConnectionSeats: Sendable {
    private let most: Int
    private let mostStrangers: Int
    /// Those that have shown nothing yet, the oldest first.
    private var strangers: [Int] = []
    private var known: Set<Int> = []

    package init(_ limits: ConnectionLimits) {
        (most, mostStrangers) = (limits.connections, limits.unknownConnections)
    }

    package enum Entry: Sendable, Hashable {
        case taken
        /// The connection of that number is to be closed for it.
        case takenFrom(Int)
        case full
    }

    /// A connection has come; numbers are never used again.
    package mutating func enter(_ number: Int) -> Entry {
        guard known.count < most else { return .full }
        strangers.append(number)
        guard strangers.count > mostStrangers else { return .taken }
        return .takenFrom(strangers.removeFirst())
    }

    /// It has sent what lets it in.
    package mutating func recognize(_ number: Int) {
        guard let index = strangers.firstIndex(of: number) else { return }
        strangers.remove(at: index)
        known.insert(number)
    }

    package mutating func leave(_ number: Int) {
        if known.remove(number) == nil { strangers.removeAll { $0 == number } }
    }
}
