package import struct FoundationEssentials.URL

/// One request's decisions: where to ask next, how, and whether again.
///
/// Reads no clock and does no I/O.
package struct StreamPlanner: Sendable {
    /// What is asked next.
    package struct Question: Hashable, Sendable {
        package var url: URL
        package var method: String
        package var sendsBody: Bool

        /// Whom the host budget counts.
        package var host: String { HostBudget.name(of: url) }
    }

    package enum Step: Sendable {
        case ask(after: Duration)
        /// The same, and nobody asks this host so long.
        case askLater(host: String, after: Duration, patience: Duration)
        case fail(DownloadError)
    }

    package private(set) var question: Question
    /// What redirected, the first asked first.
    package private(set) var redirects: [URL] = []
    private let original: Question
    private let policy: RedirectPolicy
    private let maximumRetryAfter: Duration
    private var retry: RetryPolicy

    package init(url: URL, method: String, settings: DownloadSettings, seed: UInt64) {
        original = Question(url: url, method: method, sendsBody: true)
        question = original
        policy = RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirects)
        maximumRetryAfter = settings.maximumRetryAfter
        retry = RetryPolicy(limit: settings.retries, seed: seed)
    }

    package mutating func redirected(status: Int, to location: String) -> Step {
        do throws(DownloadError) {
            let next = try policy.next(
                from: question.url,
                location: location,
                hops: redirects.count
            )
            let (method, keepsBody) = RedirectPolicy.method(after: status, of: question.method)
            redirects.append(question.url)
            question = Question(
                url: next,
                method: method,
                sendsBody: question.sendsBody && keepsBody
            )
            return .ask(after: .zero)
        } catch {
            return .fail(error)
        }
    }

    package mutating func refused(status: Int, reason: String, retryAfter: Duration?) -> Step {
        var error = DownloadError(status: status, reason: reason, host: question.host)
        error.retryAfter = retryAfter
        guard error.retryClass == .later else { return .fail(error) }
        return again(after: error, mayRetryAtOnce: false)
    }

    /// What was heard of an answer before it broke or stood still.
    package enum Progress: Sendable {
        case nothing
        /// A good head, and nothing that anybody has seen.
        case head
        /// Bytes that somebody has seen: these cannot be taken back.
        case seenBytes
    }

    package mutating func broke(_ failure: TransferFailure, after progress: Progress) -> Step {
        let error = DownloadError(failure, host: question.host)
        let hasAnswered = progress != .nothing
        switch failure.kind {
        case _ where progress == .seenBytes: return .fail(error)
        case .certificateRefused, .unsupportedURL, .addressRefused: return .fail(error)
        case .tlsFailed, .local, .malformedResponse, .nameNotResolved:
            guard hasAnswered else { return .fail(error) }
            return again(after: error, mayRetryAtOnce: false)
        case .cannotConnect where !hasAnswered:
            // Nothing ever answered there: a wrong address rather than an outage.
            return again(after: error, mayRetryAtOnce: true, atMost: 3)
        default: return again(after: error, mayRetryAtOnce: true)
        }
    }

    package mutating func stalled(for time: Duration, after progress: Progress) -> Step {
        let error = DownloadError(
            .timedOut,
            "no byte from \(question.host) for \(time)",
            advice: "try again later"
        )
        guard progress != .seenBytes else { return .fail(error) }
        return again(after: error, mayRetryAtOnce: true)
    }

    private mutating func again(
        after error: DownloadError,
        mayRetryAtOnce: Bool,
        atMost limit: Int? = nil
    ) -> Step {
        // What became of a request that is not idempotent nobody knows (RFC 9110 §9.2.2).
        guard RequestMethod.isIdempotent(question.method) else { return .fail(error) }
        let patience = error.retryAfter ?? .zero
        guard patience <= maximumRetryAfter,
            case .retry(let delay) = retry.failed(mayRetryAtOnce: mayRetryAtOnce, atMost: limit)
        else { return .fail(error) }
        let host = question.host
        beginAnew()
        guard patience > .zero else { return .ask(after: delay) }
        return .askLater(host: host, after: max(delay, patience), patience: patience)
    }

    /// The first address knows where to go now; but what was sent to it once, and is not to be sent
    /// twice, has its outcome at the last one (303).
    private mutating func beginAnew() {
        guard RequestMethod.isIdempotent(original.method) else { return }
        question = original
        redirects = []
    }
}
