package import PawlCore

/// Decides which connections may stay (pure).
///
/// The number of unauthenticated connections is bounded: a new one replaces the oldest one of the
/// client that has most of them, and never an authenticated one. Each authority gets a share of the
/// authenticated connections.
package struct ConnectionSlots: Sendable {
    private let limits: ConnectionLimits
    /// The connections without a valid token or cookie, the oldest first.
    private var unauthenticated: [Unauthenticated] = []
    /// Those that may stay to listen, the oldest first.
    private var listening: [Int] = []
    private var authenticated: [Int: Authority] = [:]
    private var counts: [Authority: Int] = [:]

    private struct Unauthenticated {
        let number: Int
        /// The address of the client, or the network of an IPv6 address; `nil` if it is not known.
        let client: [UInt8]?
    }

    package init(_ limits: ConnectionLimits) { self.limits = limits }

    package enum Entry: Sendable, Hashable {
        case taken
        /// The connection of this number has to be closed to make room for the new one.
        case takenFrom(Int)
        case full
    }

    /// Adds a connection; its number must not have been used before.
    package mutating func enter(_ number: Int, from address: IPAddress? = nil) -> Entry {
        guard authenticated.count < limits.connections else { return .full }
        unauthenticated.append(Unauthenticated(number: number, client: address?.bytesOfClient))
        guard unauthenticated.count > limits.unknownConnections else { return .taken }
        return .takenFrom(unauthenticated.remove(at: mostExpendable).number)
    }

    /// The position of the oldest connection of the client that has most of them.
    private var mostExpendable: Int {
        var counts: [[UInt8]?: Int] = [:]
        for connection in unauthenticated { counts[connection.client, default: 0] += 1 }
        let most = counts.values.max()
        return unauthenticated.firstIndex { counts[$0.client] == most } ?? 0
    }

    /// Lets an unauthenticated connection stay to listen: it makes no room for others that do not
    /// listen.
    ///
    /// Returns the number of the connection that has to be closed to make room for it, if any.
    package mutating func listen(_ number: Int) -> Int? {
        guard let index = unauthenticated.firstIndex(where: { $0.number == number }) else {
            return nil
        }
        unauthenticated.remove(at: index)
        listening.append(number)
        return listening.count > limits.listeners ? listening.removeFirst() : nil
    }

    /// Records that a connection is authenticated; returns whether there is a slot for it.
    ///
    /// A connection without a slot stays unauthenticated, so a new one may replace it.
    package mutating func recognize(_ number: Int, as authority: Authority) -> Bool {
        guard
            unauthenticated.contains(where: { $0.number == number })
                || listening.contains(number)
        else { return true }
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
        unauthenticated.removeAll { $0.number == number }
        listening.removeAll { $0 == number }
    }
}

extension IPAddress {
    /// The bytes that distinguish clients: a client has all IPv6 addresses of its network.
    var bytesOfClient: [UInt8] { isIPv6 ? networkPrefix : bytes }
}
