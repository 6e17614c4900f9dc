import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RetryPolicyTests {
    @Test func `the policy replaces a broken connection at once the first time`() {
        var policy = RetryPolicy(limit: 3, seed: 1)
        #expect(policy.failed(mayRetryAtOnce: true) == .retry(after: .zero))
        #expect(policy.failed(mayRetryAtOnce: true) != .retry(after: .zero))
    }

    @Test func `the policy gives up after the given number of consecutive failures`() {
        var policy = RetryPolicy(limit: 3, seed: 1)
        for _ in 0..<3 { #expect(policy.failed(mayRetryAtOnce: true) != .giveUp) }
        #expect(policy.failed(mayRetryAtOnce: true) == .giveUp)
    }

    @Test func `a limit of zero allows no retry`() {
        var policy = RetryPolicy(limit: 0, seed: 1)
        #expect(policy.failed(mayRetryAtOnce: true) == .giveUp)
    }

    @Test func `progress resets the failure count`() {
        var policy = RetryPolicy(limit: 1, seed: 1)
        for _ in 0..<50 {
            #expect(policy.failed(mayRetryAtOnce: true) == .retry(after: .zero))
            policy.progressed()
        }
    }

    @Test func `a stricter limit applies to an address that is probably wrong`() {
        var policy = RetryPolicy(limit: 10, seed: 1)
        #expect(policy.failed(mayRetryAtOnce: true, atMost: 1) != .giveUp)
        #expect(policy.failed(mayRetryAtOnce: true, atMost: 1) == .giveUp)
    }

    @Test func `waits come from a range that doubles up to a maximum`() {
        for failures in 1...12 {
            let ceiling = min(0.5 * Double(1 << (failures - 1)), 30)
            var longest = 0.0
            for seed in UInt64(0)..<300 {
                var policy = RetryPolicy(limit: 20, seed: seed)
                var last = Duration.zero
                for _ in 0..<failures {
                    guard case .retry(let wait) = policy.failed(mayRetryAtOnce: false) else {
                        Issue.record("the policy gave up after \(failures) failures")
                        return
                    }
                    last = wait
                }
                #expect(last.seconds <= ceiling)
                longest = max(longest, last.seconds)
            }
            // Full jitter uses the whole range.
            #expect(longest > ceiling * 0.9)
        }
    }
}
