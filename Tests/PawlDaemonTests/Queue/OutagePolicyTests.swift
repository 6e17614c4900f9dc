import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OutagePolicyTests {
    private let policy = OutagePolicy()

    private func failure(
        _ code: ErrorCode = .network,
        count: Int = 1,
        outages: Int = 0,
        retryAfter: Duration? = nil
    ) -> OutagePolicy.Failure {
        var failure = OutagePolicy.Failure(DownloadError(code, "gone", retryAfter: retryAfter))
        (failure.count, failure.outages, failure.isOutage) = (count, outages, outages > 0)
        return failure
    }

    @Test func `a failing server is retried with longer and longer waits, up to a limit`() {
        let waits = (1...policy.mostFailures).map { policy.wait(after: failure(count: $0)) }
        #expect(waits.first == .seconds(15))
        #expect(waits.last == policy.longestWait)
        #expect(zip(waits, waits.dropFirst()).allSatisfy { ($0 ?? .zero) < ($1 ?? .zero) })
        #expect(policy.wait(after: failure(count: policy.mostFailures + 1)) == nil)
    }

    @Test func `an outage is retried often, for days`() {
        let often = failure(count: 500, outages: 500)
        #expect(policy.wait(after: often) == policy.longestOutageWait)
        // Failures of the network do not count when a server fails later.
        var mixed = failure(count: 501, outages: 500)
        mixed.isOutage = false
        #expect(policy.wait(after: mixed) == policy.longestWait)
        mixed.count = 500 + policy.mostFailures + 1
        #expect(policy.wait(after: mixed) == nil)
        let most = policy.mostOutages
        #expect(policy.wait(after: failure(count: most + 1, outages: most + 1)) == nil)
    }

    @Test(arguments: [ErrorCode.diskFull, .alreadyRunning])
    func `a full disk and another process are retried like an outage`(code: ErrorCode) {
        #expect(policy.isLocal(code))
        var failed = failure(code, count: 100, outages: 100)
        #expect(policy.wait(after: failed) == policy.longestOutageWait)
        #expect(policy.wait(after: failure(code, outages: 1)) == .seconds(15))
        var settings = SettingsDocument<DownloadSettings>()
        settings[\.retries] = 0
        failed.retryLimits = RetryLimits(settings)
        #expect(policy.wait(after: failed) == nil)
        #expect(!policy.mayBeNetwork(failed.error))
    }

    @Test func `a server's Retry-After is obeyed up to a day or the download's limit`() {
        let hour = failure(.serverBusy, retryAfter: .seconds(3600))
        #expect(policy.wait(after: hour) == .seconds(3600))
        var ages = failure(.serverBusy, retryAfter: .seconds(9_000_000_000))
        #expect(policy.wait(after: ages) == .seconds(86_400))
        var settings = SettingsDocument<DownloadSettings>()
        settings[\.maximumRetryAfter] = .seconds(600)
        ages.retryLimits = RetryLimits(settings)
        #expect(policy.wait(after: ages) == .seconds(600))
    }

    @Test func `a download is retried as often as it allows`() {
        var settings = SettingsDocument<DownloadSettings>()
        settings[\.retries] = 0
        var failed = failure()
        failed.retryLimits = RetryLimits(settings)
        #expect(policy.wait(after: failed) == nil)
        settings[\.retries] = 2
        failed.retryLimits = RetryLimits(settings)
        failed.count = 2
        #expect(policy.wait(after: failed) != nil)
        failed.count = 3
        #expect(policy.wait(after: failed) == nil)
    }

    @Test func `setting the clock back makes no wait longer`() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let due = now.addingTimeInterval(20)
        #expect(policy.remaining(until: due, at: now, of: .seconds(30)) == .seconds(20))
        let yesterday = now.addingTimeInterval(-86_400)
        #expect(policy.remaining(until: due, at: yesterday, of: .seconds(30)) == .seconds(30))
        #expect(policy.remaining(until: due, at: yesterday, of: nil) == policy.longestWait)
        let tomorrow = now.addingTimeInterval(86_400)
        #expect(policy.remaining(until: due, at: tomorrow, of: .seconds(30)) == .zero)
    }

    @Test(arguments: [ErrorCode.notFound, .unauthorized, .checksumMismatch, .usage, .fileExists])
    func `a permanent failure is not retried`(code: ErrorCode) {
        #expect(policy.wait(after: failure(code)) == nil)
    }
}
