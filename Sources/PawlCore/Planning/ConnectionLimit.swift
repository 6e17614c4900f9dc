/// How many connections a server serves at the same time, as learned from its refusals.
///
/// A server that limits connections refuses those above its limit in a burst: eight that are opened
/// together get four answers and four refusals, in any order. The burst is one event. It is judged
/// when every connection that was opened has been answered, and the limit is then the number that
/// was served. After a while one connection more is tried; each refusal of such a try doubles the
/// time until the next.
package struct ConnectionLimit: Sendable {
    /// The number of connections that the server is known to serve; `Int.max` while it has refused
    /// none.
    package private(set) var ceiling = Int.max
    private var burst: Burst?
    private var interval = Self.firstInterval
    private var triesMoreAt = Moment.zero
    /// Until when the server has asked not to be tried with more (`Retry-After`).
    private var waitsUntil = Moment.zero
    /// How many connections more than the ceiling a try opens.
    private var step = 1
    /// The most connections that were served at the same time, and when that was last so.
    private var most = (count: 0, at: Moment.zero)
    /// Whether the last burst was judged to be a connection that the server had not counted as
    /// closed.
    private var isDoubted = false
    /// When a connection that was being served last broke.
    private var brokeAt: Moment?

    private struct Burst {
        let since: Moment
        /// The most connections that were served at the same time since then.
        var served: Int
    }

    package static let firstInterval: Duration = .seconds(5)
    package static let longestInterval: Duration = .seconds(600)
    /// After this time a burst is judged though some connections have no answer.
    static let longestBurst: Duration = .seconds(2)
    /// For this long after a served connection broke, refusals are taken for an outage.
    static let outageTime: Duration = .seconds(2)
    /// For this long it is remembered how many connections were served.
    static let memory: Duration = .seconds(10)

    package init() {}

    /// The number of connections that may be open at this moment.
    package func allowed(at now: Moment) -> Int {
        mayTryMore(at: now) ? ceiling + step : ceiling
    }

    /// Whether a burst of refusals is under way, during which nothing more is opened.
    package var isSettling: Bool { burst != nil }

    /// Takes in that the server refused a connection, or closed it before it sent a byte, while it
    /// served others.
    package mutating func refused(serving: Int, at now: Moment) {
        // A server that goes away refuses and breaks connections in any order: that is no limit.
        if let brokeAt, now - brokeAt < Self.outageTime { return }
        guard serving > 0, burst == nil else { return }
        burst = Burst(since: now, served: serving)
    }

    /// Takes in that the server asked for patience as it refused a connection while it served
    /// others: no more than it serves are tried before `moment`; returns `false` if the refusals
    /// are no limit but an outage.
    package mutating func wait(until moment: Moment) -> Bool {
        guard burst != nil || ceiling < .max else { return false }
        waitsUntil = max(waitsUntil, moment)
        return true
    }

    /// Takes in that a connection broke after it had received bytes.
    package mutating func servedConnectionBroke(at now: Moment) {
        burst = nil
        brokeAt = now
    }

    /// Takes in how many connections are being served, and how many wait for an answer; returns
    /// whether this ended a burst, so that the ceiling is now what the server served.
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
        judge(current, now)
        return true
    }

    private func mayTryMore(at now: Moment) -> Bool {
        ceiling < .max && now >= max(triesMoreAt, waitsUntil)
    }

    private mutating func remember(_ serving: Int, _ now: Moment) {
        if serving >= most.count || now - most.at > Self.memory { most = (serving, now) }
        if serving >= ceiling { isDoubted = false }
        guard serving > ceiling else { return }
        // The server serves more than it did: it may have no limit any more.
        ceiling = serving
        step = min(step * 2, Self.largestStep)
        interval = Self.firstInterval
        triesMoreAt = now + interval
    }

    private static let largestStep = 8

    private mutating func judge(_ burst: Burst, _ now: Moment) {
        let wasTry = mayTryMore(at: now)
        var served = burst.served
        if served < most.count, !isDoubted {
            // A connection that was just closed may still count for the server: it is asked once more.
            isDoubted = true
            served = most.count
        } else {
            isDoubted = false
            most = (served, now)
        }
        ceiling = max(1, min(ceiling, served))
        interval = wasTry ? min(interval * 2, Self.longestInterval) : interval
        step = 1
        triesMoreAt = now + interval
    }
}
