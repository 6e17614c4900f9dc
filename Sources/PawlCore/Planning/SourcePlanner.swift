internal import struct FoundationEssentials.URL

/// Decides which sources of a download may be used, when one is used again after a failure, and
/// which are given up.
struct SourcePlanner: Sendable {
    /// The source with the requested URL, then its mirrors.
    private var sources: [Source]
    private let settings: DownloadSettings
    private let seed: UInt64

    init(_ urls: [URL], _ settings: DownloadSettings, seed: UInt64) {
        (self.settings, self.seed) = (settings, seed)
        sources = []
        for url in urls { add(url) }
    }

    private mutating func add(_ url: URL) {
        let seed = seed &+ UInt64(sources.count)
        let exchange = ExchangePlanner(
            url: url,
            method: settings.requestMethod,
            settings: settings,
            seed: seed
        )
        sources.append(Source(exchange, seed: seed))
    }

    /// Adds the copies of the file that its server has named, unless they are known.
    mutating func addNamed(_ urls: [URL]) {
        let known = sources.map { $0.exchange.originalURL }
        for url in urls where !known.contains(url) && sources.count <= DownloadSettings.mostMirrors
        {
            add(url)
            sources[sources.count - 1].isNamedByServer = true
        }
    }

    subscript(source: Int) -> Source { sources[source] }

    var indices: Range<Int> { sources.indices }

    var usable: [Source] { sources.filter(\.isUsable) }

    var isAnyUsable: Bool { sources.contains(where: \.isUsable) }

    /// Whether the request of a source may be sent again.
    var maySendAgain: Bool { sources.contains { $0.exchange.maySend } }

    /// The sources that may be used now.
    var ready: [Source] { sources.filter { $0.isUsable && $0.retryAt == nil } }

    /// The time at which the next source may be used again; `nil` if none waits.
    var retryAt: Moment? { usable.compactMap(\.retryAt).min() }

    /// Whether the sources serve one stream from offset 0 only.
    var isSingleStream: Bool {
        let isAnyUsable = isAnyUsable
        return sources.allSatisfy {
            $0.evidence.ranges == .unusable || (isAnyUsable && !$0.isUsable)
        }
    }

    /// Whether a source serves ranges; `nil` if that is not known yet.
    var acceptsRanges: Bool? {
        if sources.contains(where: { $0.evidence.ranges == .usable }) { return true }
        return sources.contains { $0.evidence.ranges == .unknown } ? nil : false
    }

    /// The hosts of the usable sources, without ports.
    var hosts: [String] { usable.map { $0.exchange.request.url.host() ?? "" } }

    /// Returns the number of connections that all usable sources together allow.
    func connectionsAllowed(at now: Moment) -> Int {
        sources.lazy.filter(\.isUsable).map { $0.evidence.limit.allowed(at: now) }
            .reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 }
    }

    private func hasOther(than source: Int) -> Bool {
        indices.contains { $0 != source && sources[$0].isUsable }
    }

    /// Returns whether a source other than `source` has not failed.
    ///
    /// A doubted source counts.
    func hasUnfailed(besides source: Int? = nil) -> Bool {
        indices.contains { $0 != source && sources[$0].failure == nil }
    }

    /// Returns the source whose response an earlier run pinned.
    ///
    /// A single source is always that one, even under another URL. Another tool's bytes count as
    /// the first source's.
    func index(of point: StartingPoint) -> Int? {
        if sources.count == 1 || point.isForeign { return 0 }
        return index(of: point.firstSource)
    }

    /// Returns whether one of the sources sent the bytes of an earlier run.
    func sent(_ point: StartingPoint) -> Bool { index(of: point.firstSource) != nil }

    private func index(of redactedURL: String?) -> Int? {
        sources.firstIndex { redactedURL == $0.exchange.originalURL.redacted }
    }

    /// Returns the URLs for the checkpoint without their secrets, beginning with that of `first`.
    func text(first: Int) -> String {
        ([first] + indices.filter { $0 != first })
            .map { sources[$0].exchange.originalURL.redacted }.joined(separator: "\n")
    }

    /// The error of the most promising source if every source has failed, otherwise that of the
    /// first.
    var lastError: DownloadError {
        let failures = sources.compactMap(\.failure)
        let hopeful = failures.first { $0.retryClass == .later || $0.retryClass == .now }
        guard var error = hopeful ?? failures.first else {
            return DownloadError(.unknown, "no usable source is left")
        }
        if failures.count > 1 {
            error.context = "trying \(failures.count) sources, which all failed"
        }
        return error
    }

    mutating func passTime(_ now: Moment) {
        for source in indices { sources[source].passTime(now) }
    }

    /// Returns a source to which a connection is opened now.
    mutating func use(_ source: Int) -> Source {
        sources[source].slowBytesPerSecond = nil
        sources[source].exchange.sent()
        return sources[source]
    }

    // MARK: - Evidence

    /// Notes what a response shows about its source; returns whether it made the ranges
    /// unusable.
    @discardableResult
    mutating func learn(_ finding: SourceEvidence.Finding, from source: Int) -> Bool {
        sources[source].evidence.learn(from: finding)
    }

    /// Notes evidence of a source other than a response.
    @discardableResult
    mutating func learn<Result>(
        about source: Int,
        _ change: (inout SourceEvidence) -> Result
    ) -> Result { change(&sources[source].evidence) }

    /// Notes a good response.
    mutating func succeeded(_ segment: Segment) {
        sources[segment.source].exchange.succeeded(from: segment.url)
    }

    /// Notes that a source sent new bytes.
    mutating func progressed(_ source: Int) {
        sources[source].exchange.progressed()
        sources[source].evidence.progressed()
    }

    /// Notes the number of bytes received from a source since the last time.
    mutating func received(_ count: Int64, from source: Int) {
        sources[source].earlyEnds.received(count)
        sources[source].evidence.record.received(count)
    }

    /// Notes that a response ended before its bytes were complete; returns the time until the
    /// next connection, if its source has to wait.
    mutating func endedEarly(_ segment: Segment, at now: Moment) -> Duration? {
        let source = segment.source
        let moment = sources[source].earlyEnds.endedEarly(openedAt: segment.openedAt, at: now)
        guard let moment else { return nil }
        sources[source].wait(until: moment)
        return moment - now
    }

    /// Notes that a mirror's response is of another file than the one it has proven.
    ///
    /// Returns the reason if the mirror is given up.
    mutating func fileChanged(on source: Int) -> String? {
        sources[source].evidence.fileChanged()
        if case .doubted(let reason) = sources[source].evidence.proof { return reason }
        sources[source].exchange.forgetConfirmation()
        return nil
    }

    /// Requires the sources to prove their file, because another one is pinned, by `pinnedSource`.
    mutating func forgetProofs(besides pinnedSource: Int? = nil) {
        for source in indices where source != pinnedSource { sources[source].forgetProof() }
        if let pinnedSource { sources[pinnedSource].evidence.forgetProof() }
    }

    /// Requires the sources to prove their file, because none is pinned any more.
    mutating func forgetFile() {
        for source in indices { sources[source].evidence.forgetProof() }
    }

    /// Sets all sources but one aside.
    mutating func tryAlone(_ source: Int) {
        for other in indices { sources[other].isSetAside = other != source }
    }

    /// Lets all sources take part again; returns whether one was set aside.
    mutating func takeBack() -> Bool {
        defer { for source in indices { sources[source].isSetAside = false } }
        return sources.contains(where: \.isSetAside)
    }

    // MARK: - Speed

    /// Ignores the time up to now, because the download was suspended.
    mutating func skip(to now: Moment) {
        for source in indices { sources[source].evidence.record.skip(to: now) }
    }

    /// Counts consecutive segments below the minimum speed; returns their number.
    mutating func countSlow(_ isTooSlow: Bool, _ source: Int) -> Int {
        sources[source].slowCount = isTooSlow ? sources[source].slowCount + 1 : 0
        return sources[source].slowCount
    }

    /// Notes that a connection is replaced as slow.
    mutating func wasReplaced(_ segment: Segment, at now: Moment) {
        sources[segment.source].slowBytesPerSecond = segment.bytesPerSecond
        sources[segment.source].evidence.record.replaced(at: now)
    }

    // MARK: - Failures

    /// Follows a redirect; returns an error if it is not allowed.
    mutating func redirected(
        _ segment: Segment,
        by head: ResponseHead,
        to location: String
    ) -> DownloadError? {
        let source = segment.source
        guard sources[source].exchange.isCurrent(segment.attempt, segment.url),
            case .fail(let error) = sources[source].exchange.redirected(by: head, to: location)
        else { return nil }
        return error
    }

    /// Returns whether the original URL is requested again after a refusal.
    mutating func renews(_ segment: Segment, after status: Int) -> Bool {
        sources[segment.source].exchange.renews(after: status, of: segment.attempt)
    }

    /// Lets a source that waits after a failure wait at least until `moment`.
    mutating func wait(_ source: Int, until moment: Moment) {
        if let retryAt = sources[source].retryAt { sources[source].retryAt = max(retryAt, moment) }
    }

    /// Stops using a source; returns whether another one takes over.
    mutating func giveUp(_ source: Int, _ error: DownloadError) -> Bool {
        guard sources[source].failure == nil else { return false }
        sources[source].failure = error
        return hasOther(than: source)
    }

    /// Counts a failure after which the request may be repeated, and returns the next step.
    ///
    /// One outage breaks several connections but counts once: for the others this returns `nil`.
    ///
    /// `isSurplus`: whether the connection received nothing while others to the source did. Then it
    /// exceeded the server's limit: that is not a failure of the source, and the served connections
    /// still get successors.
    mutating func failed(
        _ segment: Segment,
        _ error: DownloadError,
        _ repetition: ExchangePlanner.Repetition,
        isSurplus: Bool,
        at now: Moment
    ) -> ExchangePlanner.Step? {
        let source = segment.source
        let isTooLong = error.retryAfter ?? .zero > settings.maximumRetryAfter
        let isSurplus = isSurplus && !(segment.isSurplus && isTooLong)
        let counts =
            isSurplus
            ? sources[source].exchange.counts(surplusOf: segment.attempt)
            : sources[source].exchange.counts(failureOf: segment.attempt)
        guard counts else { return nil }
        // If another source can take over, the broken one may wait even the first time.
        let isAlone = !hasOther(than: source)
        let step =
            isSurplus
            ? surplus(segment, error, now)
            : sources[source].exchange.failed(error, repetition, mayRetryAtOnce: isAlone)
        if let delay = step.delay { sources[source].wait(until: now + delay) }
        return step
    }

    private mutating func surplus(
        _ segment: Segment,
        _ error: DownloadError,
        _ now: Moment
    ) -> ExchangePlanner.Step {
        let (pause, delay) = (error.retryAfter ?? .zero, RetryPolicy.firstDelay)
        // The budget of the host lets this download wait for the others.
        if segment.isSurplus { return .send(after: max(pause, delay)) }
        let isOfOneMore = sources[segment.source].evidence.limit.isOfOneMore
        guard pause > .zero, !sources[segment.source].evidence.limit.wait(until: now + pause) else {
            // The connections that the server allows do not wait for the one that it refused.
            return .send(after: isOfOneMore ? .zero : delay)
        }
        return .sendLater(after: max(pause, delay), host: segment.host, pause: pause)
    }

    /// Stops waiting for the response of a source if another one could serve immediately; returns
    /// the time waited, or `nil` if the source is still waited for.
    mutating func leave(_ segment: Segment, at now: Moment) -> Duration? {
        let source = segment.source
        let isOtherReady = indices.contains {
            $0 != source && sources[$0].isUsable && sources[$0].retryAt ?? now <= now
        }
        let timeout = sources[source].evidence.record.timeout(atMost: settings.stallTimeout)
        guard !segment.isHeadAccepted, isOtherReady, now - segment.lastProgressAt >= timeout else {
            return nil
        }
        // The source is used again later, with more time to respond.
        sources[source].retryAt = now + timeout
        sources[source].evidence.record.timedOut()
        return timeout
    }
}
