package import struct FoundationEssentials.Date
package import PawlCore
package import PawlWire

/// Decides when a feed is checked next (pure).
package enum FeedSchedule {
    /// The first wait after a failure that may pass by itself, in seconds.
    private static let firstWait: Double = 300
    /// The longest wait that grows with the failures, in seconds.
    private static let longestWait: Double = 86_400
    /// The longest wait that a feed or a server can ask for, in seconds.
    private static let mostSeconds: Double = 7 * 86_400

    /// Returns the time of the next check; `nil` if the feed is checked only on request.
    ///
    /// - Parameters:
    ///   - state: What is known after the last check.
    ///   - failure: Why the last check failed; `nil` if it succeeded.
    ///   - jitter: A random number from 0 to 1, so that feeds with the same interval do not remain
    ///     together.
    package static func next(
        _ rules: FeedRules,
        _ state: FeedState,
        after failure: DownloadError?,
        at now: Date,
        jitter: Double
    ) -> Date? {
        let every = Double(rules.everySeconds ?? FeedRules.usualSeconds)
        guard every > 0 else { return nil }
        var wait = max(every, min(mostSeconds, Double(state.updateSeconds ?? 0)))
        if let failure {
            let least = isRefusal(failure) ? wait : firstWait
            let most = max(longestWait, every)
            let growth = Double(1 << min(20, max(0, state.failures - 1)))
            let asked = Double(failure.retryAfter?.components.seconds ?? 0)
            wait = max(min(most, least * growth), min(mostSeconds, asked))
        }
        return now.addingTimeInterval(wait + min(600, wait / 10) * jitter)
    }

    /// Whether a check is due at a time that the store has recorded.
    ///
    /// The clock may have been set back since then: so a check is due, too, if the last one was in
    /// the future, or if the time is farther away than the feed can ever have to wait.
    package static func isDue(
        _ date: Date,
        _ rules: FeedRules,
        _ state: FeedState,
        at now: Date
    ) -> Bool {
        if date <= now { return true }
        if let checkedAt = state.checkedAt, checkedAt.timeIntervalSince(now) > tolerance {
            return true
        }
        return date.timeIntervalSince(now) > longest(rules, state) + tolerance
    }

    /// The time by which a clock may be corrected without a check, in seconds.
    private static let tolerance: Double = 60

    private static func longest(_ rules: FeedRules, _ state: FeedState) -> Double {
        let every = Double(rules.everySeconds ?? FeedRules.usualSeconds)
        let asked = state.failures > 0 ? mostSeconds : Double(state.updateSeconds ?? 0)
        let wait = max(every, min(mostSeconds, asked))
        return wait + min(600, wait / 10)
    }

    /// Whether the server refuses the request itself, and will probably refuse it again.
    private static func isRefusal(_ error: DownloadError) -> Bool {
        guard let status = error.httpStatus, status >= 400 else { return !error.isRetryable }
        return (400..<500).contains(status) && status != 408 && status != 429
    }
}
