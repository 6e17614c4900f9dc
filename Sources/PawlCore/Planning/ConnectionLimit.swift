/// The number of connections that a server serves at the same time, as learned from its refusals.
///
/// A server that limits connections refuses those above its limit in a burst: if eight are opened
/// together, four are answered and four refused, in any order. The burst is one event. It is judged
/// when every opened connection has been answered. The limit is then the number of connections
/// that were served. After a while one more connection is tried, and soon twice as many more if
/// that one was served; each refusal of such a trial doubles the time until the next.
package struct ConnectionLimit: Sendable {
    /// The number of connections that the server is known to serve, the *ceiling*; `Int.max` until
    /// it refuses one.
    package private(set) var ceiling = Int.max
    /// Whether the ceiling was learned by an earlier download, and not confirmed by this one.
    private var isFromMemory = false
    private var burst: Burst?
    private var trials = ConnectionTrials(first: Self.firstInterval, longest: Self.longestInterval)
    /// The number of connections above the ceiling that a trial opens.
    private var step = 1
    /// The highest number of connections served at the same time, and when that was last the case.
    private var most = (count: 0, at: Moment.zero)
    /// Whether the last refusals are excused: the server may still have counted a closed
    /// connection.
    private var isDoubted = false
    /// The time at which a served connection last broke.
    private var brokeAt: Moment?

    private struct Burst {
        let since: Moment
        /// The highest number of connections served at the same time since then.
        var served: Int
    }

    package static let firstInterval: Duration = .seconds(5)
    package static let longestInterval: Duration = .seconds(600)
    /// The time between a trial that succeeded and the next.
    package static let nextStep: Duration = .seconds(1)
    /// The time after which a burst is judged even if some connections have no response.
    static let longestBurst: Duration = .seconds(2)
    /// The time after a served connection broke in which refusals are taken for an outage.
    static let outageTime: Duration = .seconds(2)
    /// The time after which a ceiling from an earlier download is tested.
    static let testOfMemory: Duration = .milliseconds(500)
    /// The time for which the number of served connections is remembered.
    static let memory: Duration = .seconds(10)

    package init() {}

    /// Begins with the ceiling of an earlier download.
    ///
    /// It is tested soon. If the server then serves one connection more, it has no limit that is
    /// known.
    package mutating func remember(_ ceiling: Int, at now: Moment) {
        guard self.ceiling == .max, burst == nil else { return }
        self.ceiling = max(1, ceiling)
        isFromMemory = true
        trials.schedule(after: Self.testOfMemory, at: now)
    }

    /// Returns the number of connections that may be open now.
    package func allowed(at now: Moment) -> Int {
        isTrialDue(at: now) ? ceiling + step : ceiling
    }

    /// Whether the ceiling of an earlier download is to be tested now.
    package func testsMemory(at now: Moment) -> Bool { isFromMemory && isTrialDue(at: now) }

    /// Whether a burst of refusals is under way, during which no connection is opened.
    package var isSettling: Bool { burst != nil }

    /// Notes that the server refused a connection, or closed it before it sent a byte, while it
    /// served others.
    package mutating func refused(serving: Int, at now: Moment) {
        // A server that goes away refuses and breaks connections in any order: that is not a limit.
        if let brokeAt, now - brokeAt < Self.outageTime { return }
        guard serving > 0, burst == nil else { return }
        burst = Burst(since: now, served: serving)
    }

    /// Whether the last refusal was of a connection above those that were served before: the others
    /// need not wait for it.
    package var isOfOneMore: Bool { burst.map { $0.served >= most.count } ?? false }

    /// Notes that the server refused a connection with `Retry-After` while it served others: no
    /// more than it serves are tried before `moment`.
    ///
    /// Returns `false` if the refusals are an outage rather than a limit.
    package mutating func wait(until moment: Moment) -> Bool {
        guard burst != nil || ceiling < .max else { return false }
        trials.wait(until: moment)
        return true
    }

    /// Notes that a connection broke after it had received bytes.
    package mutating func servedConnectionBroke(at now: Moment) {
        burst = nil
        brokeAt = now
    }

    /// Notes how many connections are being served, and how many wait for a response.
    ///
    /// Returns whether this ended a burst, so that the ceiling is now the number of served
    /// connections.
    package mutating func observe(serving: Int, awaiting: Int, at now: Moment) -> Bool {
        remember(serving, now)
        guard var current = burst else { return false }
        current.served = max(current.served, serving)
        burst = current
        guard serving + awaiting > 0 else {
            burst = nil
            return false
        }
        guard awaiting == 0 || now - current.since >= Self.longestBurst else { return false }
        burst = nil
        isFromMemory = false
        judge(current, now)
        return true
    }

    private func isTrialDue(at now: Moment) -> Bool { ceiling < .max && trials.isDue(at: now) }

    private mutating func remember(_ serving: Int, _ now: Moment) {
        if serving >= most.count || now - most.at > Self.memory { most = (serving, now) }
        if serving >= ceiling { isDoubted = false }
        guard serving > ceiling else { return }
        // The server serves more connections than before: it may no longer have a limit.
        ceiling = isFromMemory ? .max : serving
        step = min(step * 2, Self.largestStep)
        trials.succeeded()
        trials.schedule(after: Self.nextStep, at: now)
    }

    private static let largestStep = 8

    private mutating func judge(_ burst: Burst, _ now: Moment) {
        let isOfTrial = isTrialDue(at: now)
        var served = burst.served
        if served < most.count, !isDoubted {
            // The server may still count a connection that was just closed: try once more.
            isDoubted = true
            served = most.count
        } else {
            isDoubted = false
            most = (served, now)
        }
        ceiling = max(1, min(ceiling, served))
        step = 1
        trials.refused(isOfTrial: isOfTrial, at: now)
    }
}
