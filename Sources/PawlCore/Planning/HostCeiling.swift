/// The number of connections that a host serves at the same time to all downloads, as learned from
/// its refusals.
///
/// Each refusal lowers it to the number of the other connections. After a while one more is tried;
/// each refusal of such a trial doubles the time until the next. See ``ConnectionLimit`` for the
/// connections of one download.
struct HostCeiling: Sendable {
    static let firstInterval: Duration = .seconds(2)
    static let longestInterval: Duration = .seconds(120)
    /// The time that a host gets to notice that the connections which it has served have ended.
    static let lateness: Duration = .milliseconds(250)
    /// How long the number of an unused host is kept after its trial was due: refused downloads
    /// need it, because they try again only after a wait.
    static let memory: Duration = .seconds(60)
    /// The longest wait for a trial, whatever a server asks for.
    static let longestWait: Duration = .seconds(600)

    /// What a refusal shows.
    enum Meaning {
        /// The host serves no more connections than the others.
        case limit
        /// The host may still count connections that have just ended.
        case late
        case noLimit
    }

    /// Whether the host has answered a request, and no connection has broken since then: a host
    /// that goes away refuses and breaks connections in any order.
    var isServing = false
    /// The number of connections; `nil` until one was refused.
    private var count: Int?
    private var trials = ConnectionTrials(first: Self.firstInterval, longest: Self.longestInterval)
    private var isOnTrial = false
    /// The time at which one more connection is tried; `nil` until one was refused.
    var trialAt: Moment? { isKnown ? trials.dueAt : nil }
    /// Whether the host has refused a connection because of its limit.
    var isKnown: Bool { count != nil }

    /// Forgets the number if it is too old to still be true.
    mutating func forgetIfOld(at now: Moment) {
        guard let trialAt, now >= trialAt + Self.memory else { return }
        self = Self()
    }

    /// Returns whether a connection may be opened besides those that are in use.
    mutating func allows(_ inUse: Int, at now: Moment) -> Bool {
        guard let count, inUse >= count else { return true }
        guard trials.isDue(at: now) else { return false }
        // The last trial has succeeded.
        if isOnTrial { trials.succeeded() }
        self.count = inUse + 1
        trials.schedule(at: now)
        isOnTrial = true
        return true
    }

    /// Notes a refusal while the host has some number of other connections.
    mutating func refused(
        serving others: Int,
        retryAfter: Duration?,
        at now: Moment
    ) -> Meaning {
        guard isServing, others > 0 else {
            // Once for each time that it has served something.
            let isLate = isServing && count != nil
            isServing = false
            return isLate ? .late : .noLimit
        }
        trials.refused(isOfTrial: isOnTrial, at: now)
        trials.wait(until: now + min(retryAfter ?? .zero, Self.longestWait))
        isOnTrial = false
        count = min(count ?? .max, others)
        return .limit
    }
}
