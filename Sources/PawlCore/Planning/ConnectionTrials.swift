/// The times of the trials in which one more connection is opened than a server is known to serve.
///
/// Each refusal of a trial doubles the time until the next one.
struct ConnectionTrials: Sendable {
    private let firstInterval: Duration
    private let longestInterval: Duration
    private var interval: Duration
    private var nextAt = Moment.zero
    /// The time before which the server asks for no trial (`Retry-After`).
    private var waitsUntil = Moment.zero

    init(first: Duration, longest: Duration) {
        (firstInterval, longestInterval, interval) = (first, longest, first)
    }

    /// The time of the next trial.
    var dueAt: Moment { max(nextAt, waitsUntil) }

    func isDue(at now: Moment) -> Bool { now >= dueAt }

    /// Sets the time of the next trial; `nil` takes the current interval.
    mutating func schedule(after delay: Duration? = nil, at now: Moment) {
        nextAt = now + (delay ?? interval)
    }

    /// Notes that the server asks for no trial before `moment`.
    mutating func wait(until moment: Moment) { waitsUntil = max(waitsUntil, moment) }

    /// Notes that a trial was served.
    mutating func succeeded() { interval = firstInterval }

    /// Notes a refusal, which may be that of a trial.
    mutating func refused(isOfTrial: Bool, at now: Moment) {
        if isOfTrial { interval = min(interval * 2, longestInterval) }
        schedule(at: now)
    }
}
