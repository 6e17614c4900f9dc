import PawlCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RetryPolicyTests {
    @Test func `a broken connection is replaced at once the first time`() {
        var policy = RetryPolicy(limit: 3, seed: 1)
        #expect(policy.failed(mayRetryAtOnce: true) == .retry(after: .zero))
        #expect(policy.failed(mayRetryAtOnce: true) != .retry(after: .zero))
    }

    @Test func `after so many failures in a row it is given up`() {
        var policy = RetryPolicy(limit: 3, seed: 1)
        for _ in 0..<3 { #expect(policy.failed(mayRetryAtOnce: true) != .giveUp) }
        #expect(policy.failed(mayRetryAtOnce: true) == .giveUp)
    }

    @Test func `no retries means none`() {
        var policy = RetryPolicy(limit: 0, seed: 1)
        #expect(policy.failed(mayRetryAtOnce: true) == .giveUp)
    }

    @Test func `progress resets the count`() {
        var policy = RetryPolicy(limit: 1, seed: 1)
        for _ in 0..<50 {
            #expect(policy.failed(mayRetryAtOnce: true) == .retry(after: .zero))
            policy.progressed()
        }
    }

    @Test func `a stricter limit holds for what is likely a wrong address`() {
        var policy = RetryPolicy(limit: 10, seed: 1)
        #expect(policy.failed(mayRetryAtOnce: true, atMost: 1) != .giveUp)
        #expect(policy.failed(mayRetryAtOnce: true, atMost: 1) == .giveUp)
    }

    @Test func `waits are drawn from a range that doubles up to its longest`() {
        for failures in 1...12 {
            let ceiling = min(0.5 * Double(1 << (failures - 1)), 30)
            var longest = 0.0
            for seed in UInt64(0)..<300 {
                var policy = RetryPolicy(limit: 20, seed: seed)
                var last = Duration.zero
                for _ in 0..<failures {
                    guard case .retry(let wait) = policy.failed(mayRetryAtOnce: false) else {
                        Issue.record("given up after \(failures)")
                        return
                    }
                    last = wait
                }
                #expect(last.seconds <= ceiling)
                longest = max(longest, last.seconds)
            }
            // Full jitter: the whole range is used.
            #expect(longest > ceiling * 0.9)
        }
    }
}
