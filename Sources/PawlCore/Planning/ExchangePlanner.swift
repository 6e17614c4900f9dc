package import struct FoundationEssentials.URL

/// Decides to which URL a request is sent next, and whether and when it is repeated.
///
/// It follows redirects, returns to the original URL when a redirected one has expired, and judges
/// refusals, broken transfers, stalls and `Retry-After`. A download has one exchange planner per
/// source, which can have several transfers at the same time; a stream has one. It reads no clock
/// and does no I/O.
package struct ExchangePlanner: Sendable {
    package struct Request: Hashable, Sendable {
        package let url: URL
        package let method: String
        package let sendsBody: Bool
        /// The name by which the host budget counts its connection.
        package let host: String

        fileprivate init(url: URL, method: String, sendsBody: Bool) {
            (self.url, self.method, self.sendsBody) = (url, method, sendsBody)
            host = HostBudget.name(of: url)
        }
    }

    /// The state of the exchange when a transfer was opened; the end of a transfer counts only if
    /// that state is still current.
    package struct Attempt: Hashable, Sendable {
        fileprivate var failures = 0
        fileprivate var surplus = 0
        fileprivate var renewals = 0

        package init() {}
    }

    package enum Step: Sendable {
        case send(after: Duration)
        /// No new connection to the host is opened for `pause`.
        case sendLater(after: Duration, host: String, pause: Duration)
        case fail(DownloadError)

        /// The time until the request is sent; `nil` if it is not.
        package var delay: Duration? {
            switch self {
            case .send(let delay), .sendLater(let delay, _, _): delay
            case .fail: nil
            }
        }
    }

    /// The way in which a failed request may be repeated.
    package enum Repetition: Sendable {
        case later
        /// The first repetition is sent without a wait.
        case immediate
        /// The request is repeated up to three times, at first without a wait.
        case threeTimes
        /// The request is repeated because another response must confirm the last one; the failure
        /// does not count.
        case confirming
    }

    /// The request that is sent next.
    package private(set) var request: Request
    /// The URLs that redirected to `request`, first the one that was requested first.
    package private(set) var redirects: [URL] = []
    /// The URL to which the permanent redirects at the beginning of `redirects` lead (301, 308);
    /// `nil` if the first one is temporary.
    package private(set) var permanentURL: URL?
    /// The state from which a transfer starts that is opened now.
    private(set) var attempt = Attempt()
    /// Whether the URL of `request` has sent a good response.
    private(set) var isConfirmed = false
    /// How many of `redirects` no server has sent.
    private var upgrades = 0
    /// Whether `request` was sent.
    private var wasSent = false
    private let original: Request
    private let policy: RedirectPolicy
    private let maximumRetryAfter: Duration
    private var retry: RetryPolicy
    /// Whether `request` is the target of a redirect.
    private var isRedirected = false
    /// Whether the original URL was requested again since the last good response; if it refuses the
    /// request now, it has not expired.
    private var wasRenewed = false

    package init(url: URL, method: String = "GET", settings: DownloadSettings, seed: UInt64) {
        original = Request(url: url, method: method, sendsBody: true)
        request = original
        policy = RedirectPolicy(
            maximum: settings.maximumRedirects,
            allowsInsecure: settings.allowsInsecureRedirects
        )
        maximumRetryAfter = settings.maximumRetryAfter
        retry = RetryPolicy(limit: settings.retries, seed: seed)
    }

    package var originalURL: URL { original.url }

    /// Returns the response with a head, after the redirects so far.
    package func response(_ head: ResponseHead) -> DownloadResponse {
        DownloadResponse(head, redirects: redirects, permanentURL: permanentURL)
    }

    /// The number of consecutive failures without a byte received between them.
    var failures: Int { retry.failures }

    /// Whether `request` may be sent now: one that is not idempotent may have had an effect, and is
    /// sent once (RFC 9110 §9.2.2).
    var maySend: Bool { !wasSent || RequestMethod.isIdempotent(request.method) }

    mutating func sent() { wasSent = true }

    /// Notes a good response from `url`, which may no longer be the URL of `request`.
    mutating func succeeded(from url: URL) {
        guard url == request.url else { return }
        redirects = []
        upgrades = 0
        permanentURL = nil
        isConfirmed = true
        wasRenewed = false
    }

    /// Notes that new bytes were received.
    mutating func progressed() { retry.progressed() }

    /// Requires another good response before several connections are opened.
    mutating func forgetConfirmation() { isConfirmed = false }

    /// Returns whether a transfer sent the present `request`; if several transfers were redirected
    /// at the same time, the first redirect applies to all.
    func isCurrent(_ attempt: Attempt, _ url: URL) -> Bool {
        attempt.renewals == self.attempt.renewals && url == request.url
    }

    /// Follows the redirect of a head, whose status determines the new method; a GET remains a GET.
    ///
    /// If it is not allowed, the error has the response.
    package mutating func redirected(by head: ResponseHead, to location: String) -> Step {
        // A redirect that no server has sent does not count.
        let (status, isUpgrade) = (head.status, head.isUpgrade)
        do throws(DownloadError) {
            let next = try policy.next(
                from: request.url,
                location: location,
                hops: isUpgrade ? nil : redirects.count - upgrades
            )
            if isUpgrade { upgrades += 1 }
            let (method, keepsBody) = RedirectPolicy.method(after: status, of: request.method)
            let isPermanent = status == 301 || status == 308
            if isPermanent, redirects.isEmpty || permanentURL == request.url { permanentURL = next }
            redirects.append(request.url)
            request = Request(url: next, method: method, sendsBody: request.sendsBody && keepsBody)
            isRedirected = true
            isConfirmed = false
            wasSent = false
            return .send(after: .zero)
        } catch {
            var error = error
            error.httpStatus = status
            error.errorResponse = ErrorResponse(response(head), body: [], isWhole: false)
            return .fail(error)
        }
    }

    /// Requests the original URL again, once between two good responses, if a refusal shows that
    /// the redirected one has expired; returns whether the refusal is thereby handled.
    mutating func renews(after status: Int, of attempt: Attempt) -> Bool {
        let isOld = attempt.renewals < self.attempt.renewals
        guard RequestMethod.isIdempotent(original.method) else { return false }
        guard [401, 403, 404, 410].contains(status), isRedirected || isOld else { return false }
        guard !isOld, !wasRenewed else { return isOld }
        restart()
        wasRenewed = true
        self.attempt.renewals += 1
        return true
    }

    /// Starts again with the original request, whose URL redirects to the present location; a
    /// request that must not be sent twice has its outcome at the last URL (303).
    package mutating func restart() {
        guard RequestMethod.isIdempotent(original.method) else { return }
        request = original
        redirects = []
        upgrades = 0
        permanentURL = nil
        isRedirected = false
        isConfirmed = false
    }

    /// Returns how a request is repeated after a broken transfer; `nil` if it is not repeated.
    ///
    /// `hasResponded`: whether the server ever sent a good response.
    package static func repetition(
        after failure: TransferFailure.Kind,
        hasResponded: Bool
    ) -> Repetition? {
        switch failure {
        case .certificateRefused, .keyRefused, .certificateRequired, .proxyUnauthorized,
            .hostKeyUnknown, .hostKeyChanged, .proxyUnusable, .clientKeyUnusable,
            .passwordFileUnusable,
            .unsupportedURL, .credentialsUnusable, .addressRefused, .expandsTooMuch, .undecodable,
            .notBuiltIn, .bodyUnreadable, .bodyNotRepeatable,
            .notScripted:
            nil
        case .local, .authoritiesUnusable, .malformedResponse: hasResponded ? .later : nil
        // A busy server may break the handshake; one that cannot do it fails each time.
        case .tlsFailed: hasResponded ? .later : .threeTimes
        case .nameNotResolved, .proxyNotResolved: hasResponded ? .immediate : nil
        // No server ever responded at this address: it is wrong, rather than the server down.
        case .cannotConnect where !hasResponded, .fileNotSent where !hasResponded,
            .proxyRefused where !hasResponded,
            .interfaceFailed where !hasResponded:
            .threeTimes
        default: .immediate
        }
    }

    /// Notes that a transfer failed; returns whether that counts: if one outage breaks several
    /// connections, this is one failure.
    mutating func counts(failureOf attempt: Attempt) -> Bool {
        guard attempt.failures == self.attempt.failures else { return false }
        self.attempt.failures += 1
        return true
    }

    /// Notes that the server refused connections above its limit; returns whether that was not
    /// known yet.
    ///
    /// It is not a failure of the exchange: a failure of the connections that were opened before
    /// still counts.
    mutating func counts(surplusOf attempt: Attempt) -> Bool {
        guard attempt.failures == self.attempt.failures, attempt.surplus == self.attempt.surplus
        else { return false }
        self.attempt.surplus += 1
        return true
    }

    /// Decides whether to repeat the request after a failure that counts.
    package mutating func failed(
        _ error: DownloadError,
        _ repetition: Repetition?,
        mayRetryAtOnce: Bool = true
    ) -> Step {
        // A request that is not idempotent may have had an effect (RFC 9110 §9.2.2).
        guard let repetition, RequestMethod.isIdempotent(request.method) else {
            return .fail(error)
        }
        if let pause = error.retryAfter, pause > maximumRetryAfter {
            var error = error
            let seconds = pause.components.seconds
            error.guidance =
                "the server asks to wait \(seconds) s, \(.longerThanAllowed): try again after that time"
            return .fail(error)
        }
        if repetition == .confirming { return .send(after: .seconds(1)) }
        guard
            case .retry(let delay) = retry.failed(
                mayRetryAtOnce: mayRetryAtOnce && repetition != .later,
                atMost: repetition == .threeTimes ? 3 : nil
            )
        else { return .fail(error) }
        guard let pause = error.retryAfter, pause > .zero else { return .send(after: delay) }
        return .sendLater(after: max(delay, pause), host: request.host, pause: pause)
    }
}
