package import PawlCore

/// Decides when a node renews its lease, and whether the node may act under it.
///
/// All moments are of the node's own monotonic clock, which also advances while the machine is
/// suspended (`CLOCK_BOOTTIME`). Only their differences count. The moments of the database are
/// kept as it sent them, and are only compared for equality.
package struct LeasePlanner: Sendable {
    /// The time after which the database may give the downloads of a node to others.
    package static let length: Duration = .seconds(15)
    /// The time between two renewals.
    package static let renewalInterval: Duration = .seconds(5)
    /// The time for which a node trusts its lease, from the moment at which it sent the renewal.
    ///
    /// The database begins to count later, so at least 3 s remain for clocks that drift and for
    /// requests that are on their way.
    package static let trust: Duration = .seconds(12)
    /// The time after which a request without an answer has failed.
    package static let answerTimeout: Duration = .seconds(3)
    /// The time between a failed request and the next one.
    package static let retryInterval: Duration = .seconds(1)
    /// The time after which an answer shows that the database has trouble.
    package static let slowAnswer: Duration = .seconds(2)

    /// A request to join the fleet, or to renew the lease.
    package struct Attempt: Hashable, Sendable {
        /// Grows with each request.
        ///
        /// A request to join replaces the row of an earlier one. The database refuses it if the
        /// same process has joined with a greater number: it was late.
        package let number: Int
        /// Whether the node asks for a new lease instead of the renewal of an old one.
        package let isJoin: Bool
        package let sentAt: Moment
        fileprivate let membership: Int
    }

    package enum Answer: Hashable, Sendable {
        /// The lease of this row of the node ends at this moment of the database's clock, if it is
        /// not renewed.
        case held(node: Int64, until: Moment)
        /// Another node has declared this one lost.
        case lost
        /// It is not known what happened.
        case failed
    }

    package enum Action: Hashable, Sendable {
        /// Ask the database for a lease of a new row of this node.
        case join(Attempt)
        /// Ask the database to renew the lease.
        case renew(Attempt)
        /// Hold all transfers, and send nothing that has an effect; discard nothing.
        case suspend
        /// Continue what was held, or begin to work.
        case resume
        /// End all runs without a claim or a record: they belong to others.
        case end
    }

    /// The number of leases so far, which makes answers to requests about an earlier one void.
    private var membership = 0
    private var isMember = false
    private var isSuspended = true
    private var trustedUntil = Moment.zero
    private var pending: Attempt?
    private var nextAttempt = Moment.zero
    private var attempts = 0
    /// The time since which the database has answered each request in time.
    private var steadySince = Moment.zero
    /// The end of the lease as the database reported it last.
    private var leaseUntil: Moment?
    /// The row of the node that has the lease; `nil` if it has none.
    package private(set) var node: Int64?

    package init() {}

    /// Whether the node may do something that lasts.
    package func isValid(at now: Moment) -> Bool { isMember && now < trustedUntil }

    /// The moment up to which the node may do something that lasts.
    package var validUntil: Moment { isMember ? trustedUntil : .zero }

    /// The moment of the next `tick`.
    package var wakeAt: Moment {
        let next = pending.map { $0.sentAt + Self.answerTimeout } ?? nextAttempt
        return isMember && !isSuspended ? min(next, trustedUntil) : next
    }

    /// Returns what is due.
    package mutating func tick(at now: Moment) -> [Action] {
        var actions: [Action] = []
        if isMember, !isSuspended, now >= trustedUntil {
            isSuspended = true
            steadySince = now
            actions.append(.suspend)
        }
        if let pending, now >= pending.sentAt + Self.answerTimeout { failed(at: now) }
        if pending == nil, now >= nextAttempt {
            attempts += 1
            let attempt = Attempt(
                number: attempts,
                isJoin: !isMember,
                sentAt: now,
                membership: membership
            )
            pending = attempt
            actions.append(isMember ? .renew(attempt) : .join(attempt))
        }
        return actions
    }

    /// Notes an answer, which may be late.
    package mutating func answered(
        _ attempt: Attempt,
        _ answer: Answer,
        at now: Moment
    ) -> [Action] {
        // A later request to join declares the row of an earlier one lost.
        guard attempt.membership == membership, !attempt.isJoin || attempt == pending else {
            return []
        }
        switch answer {
        case .failed:
            if attempt == pending { failed(at: now) }
            return []
        case .lost: return end(at: now)
        case .held(let node, let until):
            if attempt.isJoin { self.node = node }
            held(attempt, until, at: now)
            guard isSuspended, now < trustedUntil else { return [] }
            isSuspended = false
            return [.resume]
        }
    }

    private mutating func failed(at now: Moment) {
        pending = nil
        nextAttempt = now + Self.retryInterval
        steadySince = now
    }

    private mutating func held(_ attempt: Attempt, _ until: Moment, at now: Moment) {
        if attempt.isJoin {
            isMember = true
            membership += 1
            steadySince = attempt.sentAt
            trustedUntil = attempt.sentAt + Self.trust
            leaseUntil = until
        } else {
            trustedUntil = max(trustedUntil, attempt.sentAt + Self.trust)
            leaseUntil = max(leaseUntil ?? until, until)
        }
        if now >= attempt.sentAt + Self.slowAnswer { steadySince = now }
        guard attempt == pending else { return }
        pending = nil
        nextAttempt = attempt.sentAt + Self.renewalInterval
    }

    private mutating func end(at now: Moment) -> [Action] {
        guard isMember else { return [] }
        isMember = false
        membership += 1
        isSuspended = true
        pending = nil
        nextAttempt = now
        (node, leaseUntil) = (nil, nil)
        return [.end]
    }

    /// Returns the end of this node's lease that a request to declare others lost has to name;
    /// `nil` if the node must not declare anybody lost now.
    ///
    /// After an outage of the database all leases may have expired. A node that had trouble itself
    /// therefore gives the others time to renew theirs.
    package func leaseForDeclaringLost(at now: Moment) -> Moment? {
        guard isValid(at: now), now >= steadySince + LostNodePolicy.grace,
            pending.map({ now < $0.sentAt + Self.slowAnswer }) ?? true
        else { return nil }
        return leaseUntil
    }
}
