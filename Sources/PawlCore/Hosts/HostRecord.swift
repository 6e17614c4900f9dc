/// What downloads have learned of a host over one network.
package struct HostRecord: Hashable, Sendable {
    /// The number of connections with which the last large download was fastest; `nil` if that was
    /// not measured.
    package var best: ConnectionSpeed?
    /// The number of connections that the server serves at the same time; `nil` if it refused none.
    package var limit: Int?
    /// The time that connecting took, about one round trip; `nil` if it is not known.
    package var roundTrip: Duration?
    /// When this was learned, in seconds since 1970.
    package var learnedAt: Int64

    /// The time in seconds for which a record is kept.
    package static let lifetime: Int64 = 7 * 24 * 60 * 60
    /// The factor by which the round trip of one path varies, and the time that it varies anyway.
    private static let variation = 2.0
    private static let shortVariation: Duration = .milliseconds(10)

    package init(
        best: ConnectionSpeed? = nil,
        limit: Int? = nil,
        roundTrip: Duration? = nil,
        learnedAt: Int64 = 0
    ) {
        (self.best, self.limit, self.roundTrip) = (best, limit, roundTrip)
        self.learnedAt = learnedAt
    }

    /// Whether it contains anything that a later download can use.
    package var isUseful: Bool { best != nil || limit != nil }

    /// Whether it can be used at a time, in seconds since 1970.
    ///
    /// A record of the future is from a clock that was wrong.
    func isValid(at now: Int64) -> Bool {
        learnedAt <= now + 60 && now - learnedAt < Self.lifetime
    }

    /// Returns whether the connect time fits the path over which this was learned; a reused
    /// connection has none.
    func fits(connectTime: Duration?) -> Bool {
        guard let connectTime, let roundTrip else { return true }
        let (shorter, longer) = (min(connectTime, roundTrip), max(connectTime, roundTrip))
        return longer <= shorter * Self.variation + Self.shortVariation
    }

    /// Whether the other record differs so little that it is not worth writing.
    func isClose(to other: HostRecord) -> Bool {
        guard limit == other.limit, best?.connections == other.best?.connections,
            best?.isProven == other.best?.isProven, (best == nil) == (other.best == nil),
            abs(learnedAt - other.learnedAt) < Self.lifetime / 7
        else { return false }
        guard let speed = best?.bytesPerSecond, let otherSpeed = other.best?.bytesPerSecond else {
            return true
        }
        return (0.8...1.25).contains(speed / max(otherSpeed, 1))
    }
}

/// A number of connections, and the speed of a download with them.
package struct ConnectionSpeed: Hashable, Sendable {
    package var connections: Int
    package var bytesPerSecond: Double
    /// Whether another number was tried, or the server showed that it limits each connection.
    package var isProven: Bool

    package init(connections: Int, bytesPerSecond: Double, isProven: Bool) {
        self.connections = connections
        self.bytesPerSecond = bytesPerSecond
        self.isProven = isProven
    }
}
