package import PawlCore

/// The share of a budget that a node holds.
///
/// All moments are of the node's own monotonic clock.
package struct HeldShare: Sendable {
    /// The share that the last answer has granted.
    private var granted = 0.0
    private var target = 0.0
    /// The amount that the node may use at most now.
    private var bound = 0.0
    private var trustedUntil = Moment.zero
    private var sequence = 0
    private var sentAt = Moment.zero

    package init() {}

    /// Returns how much the node may use.
    ///
    /// Without a share, it uses nothing: others may hold the whole budget.
    package func usable(at now: Moment) -> Double { now < trustedUntil ? bound : 0 }

    /// Makes the next request.
    ///
    /// `inUse`: the number of connections that are still open, or 0 for a rate.
    package mutating func request(
        wanted: Double,
        inUse: Double,
        at now: Moment
    ) -> SharePolicy.Request {
        sequence += 1
        sentAt = now
        let keeps = now < trustedUntil ? min(granted, max(inUse, min(granted, target))) : 0
        bound = min(bound, keeps)
        granted = keeps
        return SharePolicy.Request(sequence: sequence, wanted: wanted, keeps: keeps)
    }

    /// Notes the answer to a request; that to any but the last one is ignored.
    package mutating func answered(_ share: SharePolicy.Share) {
        guard share.sequence == sequence else { return }
        granted = share.granted
        target = share.target
        bound = min(granted, target)
        trustedUntil = sentAt + SharePolicy.trust
    }
}
