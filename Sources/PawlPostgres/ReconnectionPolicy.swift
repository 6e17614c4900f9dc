package import PawlCore

/// Decides how long to wait before a connection that has ended is made again.
///
/// The first attempt after a lasting connection comes at once. Further attempts wait longer and
/// longer; a server that ends each session at once counts as one that accepts none.
package struct ReconnectionPolicy: Sendable {
    private static let firstDelay = Duration.milliseconds(200)
    private static let longestDelay = Duration.seconds(5)

    /// The number of attempts since the last connection that lasted.
    private var attempts = 0
    private var connectedAt: Moment?

    package init() {}

    /// Returns the time to wait before the attempt that follows.
    package mutating func nextDelay() -> Duration {
        defer { attempts += 1 }
        guard attempts > 0 else { return .zero }
        return min(Self.firstDelay * (1 << min(attempts - 1, 5)), Self.longestDelay)
    }

    package mutating func connected(at now: Moment) { connectedAt = now }

    /// Records the end of a connection, or of an attempt to make one.
    package mutating func ended(at now: Moment) {
        if let connectedAt, now - connectedAt >= Self.longestDelay { attempts = 0 }
        connectedAt = nil
    }
}
