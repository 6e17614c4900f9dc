/// Decides when to retry: exponential backoff with full jitter; progress resets the count.
package struct RetryPolicy: Sendable {
    /// The number of consecutive failures that are tolerated.
    package let limit: Int
    package private(set) var failures = 0
    private var random: SplitMix64

    /// The upper bound of the first random wait; it doubles with each further wait.
    package static let firstDelay: Duration = .milliseconds(500)
    package static let longestDelay: Duration = .seconds(30)

    package init(limit: Int, seed: UInt64) {
        self.limit = limit
        random = SplitMix64(seed: seed)
    }

    package enum Decision: Hashable, Sendable {
        case retry(after: Duration)
        case giveUp
    }

    package mutating func progressed() { failures = 0 }

    /// Notes a failure without a byte received since the last one.
    ///
    /// A broken connection is replaced immediately the first time; after a refusal there is always
    /// a wait.
    package mutating func failed(mayRetryAtOnce: Bool, atMost limit: Int? = nil) -> Decision {
        failures += 1
        guard failures <= min(self.limit, limit ?? .max) else { return .giveUp }
        if failures == 1, mayRetryAtOnce { return .retry(after: .zero) }
        let exponent = min(failures - 1, 16)
        let ceiling = min(
            Self.firstDelay.nanoseconds << Int64(exponent),
            Self.longestDelay.nanoseconds
        )
        return .retry(after: .nanoseconds(Int64.random(in: 0...ceiling, using: &random)))
    }
}
