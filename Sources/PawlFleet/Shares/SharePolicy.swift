package import PawlCore

/// Divides a budget among nodes: connections to a host, requests or bytes per second.
///
/// Each node leases a share, and decides within it without asking anybody. The database grants a
/// node only what no other node may still use, so the sum of all shares never exceeds the budget. A
/// node with more than its fair share keeps it until it has reported that it uses less.
///
/// All moments are of the database's clock.
package struct SharePolicy: Sendable {
    /// The time after which a share that is not renewed belongs to others.
    package static let length: Duration = .seconds(6)
    /// The time between two renewals.
    package static let renewalInterval: Duration = .seconds(2)
    /// The time for which a node uses a share, from the moment at which it sent the request.
    package static let trust: Duration = .milliseconds(4_800)

    package struct Request: Hashable, Sendable {
        /// Grows with each request of a node, so that a late one has no effect.
        package var sequence: Int
        /// What the node could use.
        package var wanted: Double
        /// What the node uses at most until it receives the answer.
        package var keeps: Double

        package init(sequence: Int, wanted: Double, keeps: Double) {
            self.sequence = sequence
            self.wanted = wanted
            self.keeps = keeps
        }
    }

    /// The share of a node as the database stores it.
    package struct Share: Hashable, Sendable {
        package var node: Int64
        package var sequence: Int
        package var wanted: Double
        /// What the node may use until `until`.
        package var granted: Double
        /// The node's fair share, to which it reduces its use.
        package var target: Double
        package var until: Moment

        package init(
            node: Int64,
            sequence: Int,
            wanted: Double,
            granted: Double,
            target: Double,
            until: Moment
        ) {
            self.node = node
            self.sequence = sequence
            self.wanted = wanted
            self.granted = granted
            self.target = target
            self.until = until
        }
    }

    /// The budget of the fleet.
    package var limit: Double
    /// Whether shares are whole numbers, as of connections.
    package var isWhole: Bool

    package init(limit: Double, isWhole: Bool) {
        self.limit = max(0, isWhole ? limit.rounded(.down) : limit)
        self.isWhole = isWhole
    }

    /// Returns the new share of a node, or `nil` if a later request was answered before.
    ///
    /// `shares`: the shares of all nodes, which may have ended.
    package func share(
        of node: Int64,
        for request: Request,
        shares: [Share],
        at now: Moment
    ) -> Share? {
        let own = shares.first { $0.node == node }
        guard request.sequence > own?.sequence ?? .min else { return nil }
        let others = shares.filter { $0.node != node && $0.until > now }
        let wanted = rounded(request.wanted)
        let target = fairShare(of: node, wanted: wanted, others: others)
        let held = own.flatMap { $0.until > now ? $0.granted : nil } ?? 0
        let kept = min(held, rounded(request.keeps))
        let free = limit - others.reduce(0) { $0 + $1.granted }
        return Share(
            node: node,
            sequence: request.sequence,
            wanted: wanted,
            granted: max(kept, min(target, max(0, free))),
            target: target,
            until: now + Self.length
        )
    }

    /// Returns an equal share of the budget, of which what others do not want is divided again.
    ///
    /// If there are more nodes than connections, those with the smallest demand get none.
    private func fairShare(of node: Int64, wanted: Double, others: [Share]) -> Double {
        var demands = others.map { (node: $0.node, wanted: $0.wanted) }
        demands.append((node, wanted))
        demands.sort { ($0.wanted, $0.node) < ($1.wanted, $1.node) }
        var rest = limit
        for (index, demand) in demands.enumerated() {
            let share = min(demand.wanted, rounded(rest / Double(demands.count - index)))
            if demand.node == node { return share }
            rest -= share
        }
        return 0
    }

    private func rounded(_ value: Double) -> Double {
        let positive = max(0, value.isFinite ? value : limit)
        return isWhole ? positive.rounded(.down) : positive
    }
}
