package import PawlCore

/// Decides in the database whether a node is lost, so that others may take its downloads.
///
/// All moments are of the database's clock. A lease that has expired alone is not enough: during an
/// outage of the database, nobody could renew. So the node that asks must have renewed its own
/// lease a short time ago, and must not have done so after it sent the request: a request that
/// waited in the database during an outage has no effect.
package struct LostNodePolicy: Sendable {
    /// The time for which the database must have run, and have answered the node that asks.
    package static let grace: Duration = .seconds(20)
    /// The longest time since the renewal of the node that asks.
    package static let freshness: Duration = .seconds(7)

    /// The moment at which the database was started.
    package var databaseStartedAt: Moment
    /// The end of the lease that the node that asks had when it sent the request.
    package var namedLease: Moment
    /// The end of its lease now.
    package var ownLease: Moment

    package init(databaseStartedAt: Moment, namedLease: Moment, ownLease: Moment) {
        self.databaseStartedAt = databaseStartedAt
        self.namedLease = namedLease
        self.ownLease = ownLease
    }

    /// Whether a node with a lease until `leaseUntil` is lost.
    package func isLost(leaseUntil: Moment, at now: Moment) -> Bool {
        leaseUntil <= now && now >= databaseStartedAt + Self.grace
            && namedLease == ownLease
            && ownLease + Self.freshness >= now + LeasePlanner.length
    }
}
