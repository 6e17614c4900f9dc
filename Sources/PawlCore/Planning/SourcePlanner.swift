internal import struct FoundationEssentials.URL

/// Decides which sources of a download may be used, when one is used again after a failure, and
/// which are given up.
struct SourcePlanner: Sendable {
    /// The source with the requested URL, then its mirrors.
    private var sources: [Source]
    /// The maximum time to wait for a response.
    private let stallTimeout: Duration

    init(_ urls: [URL], _ settings: DownloadSettings, seed: UInt64) {
        stallTimeout = settings.stallTimeout
        sources = zip(urls, UInt64(0)...).map { url, place in
            Source(ExchangePlanner(url: url, settings: settings, seed: seed &+ place))
        }
    }

    subscript(place: Int) -> Source { sources[place] }

    var places: Range<Int> { sources.indices }

    var usable: [Source] { sources.filter(\.isUsable) }

    var isAnyUsable: Bool { sources.contains(where: \.isUsable) }

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

    private func hasOther(than place: Int) -> Bool {
        places.contains { $0 != place && sources[$0].isUsable }
    }

    /// Returns whether a source other than `place` has not failed; it may be doubted.
    func hasUnfailed(besides place: Int? = nil) -> Bool {
        places.contains { $0 != place && sources[$0].failure == nil }
    }

    /// Returns the source with the URL whose response an earlier run pinned; a single source stands
    /// for any URL, because the same file is requested from it.
    func place(of point: StartingPoint) -> Int? {
        if sources.count == 1 || point.isForeign { return 0 }
        return place(of: point.firstSource)
    }

    /// Returns whether one of the sources sent the bytes of an earlier run.
    func sent(_ point: StartingPoint) -> Bool { place(of: point.firstSource) != nil }

    private func place(of redactedURL: String?) -> Int? {
        sources.firstIndex { redactedURL == $0.exchange.originalURL.redacted }
    }

    /// Returns the URLs for the checkpoint without their secrets, beginning with that of `first`.
    func text(first: Int) -> String {
        ([first] + places.filter { $0 != first })
            .map { sources[$0].exchange.originalURL.redacted }.joined(separator: "\n")
    }

    /// The error of the most promising source if every source has failed, otherwise that of the
    /// first.
    var lastError: DownloadError {
        let failures = sources.compactMap(\.failure)
        let hopeful = failures.first { $0.retryClass == .later || $0.retryClass == .now }
        guard var error = hopeful ?? failures.first else {
            return DownloadError(.unknown, "no source is left")
        }
        if failures.count > 1 {
            error.context = "trying \(failures.count) sources, which all failed"
        }
        return error
    }

    mutating func passTime(_ now: Moment) {
        for place in places { sources[place].passTime(now) }
    }

    /// Returns a source to which a connection is opened now.
    mutating func use(_ place: Int) -> Source {
        sources[place].slowBytesPerSecond = nil
        return sources[place]
    }

    // MARK: - Evidence

    /// Takes in what a response shows about its source; returns whether it made the ranges
    /// unusable.
    @discardableResult
    mutating func learn(_ answer: SourceEvidence.Answer, from place: Int) -> Bool {
        sources[place].evidence.learn(from: answer)
    }

    /// Takes in evidence of a source other than a response.
    @discardableResult
    mutating func learn<Result>(
        about place: Int,
        _ change: (inout SourceEvidence) -> Result
    ) -> Result { change(&sources[place].evidence) }

    /// Takes in a good response.
    mutating func succeeded(_ segment: Segment) {
        sources[segment.source].exchange.succeeded(from: segment.url)
    }

    /// Takes in that a source sent new bytes.
    mutating func progressed(_ place: Int) {
        sources[place].exchange.progressed()
        sources[place].evidence.hasServed = true
    }

    /// Takes in that the file of a mirror changed after it was proven; returns the reason why the
    /// mirror may not prove it once more, if there is one.
    mutating func fileChanged(on place: Int) -> String? {
        sources[place].evidence.fileChanged()
        if case .doubted(let reason) = sources[place].evidence.proof { return reason }
        sources[place].forgetProof()
        return nil
    }

    /// Requires the sources to prove their file, because another one is pinned, by `anchor`.
    mutating func forgetProofs(besides anchor: Int? = nil) {
        for place in places where place != anchor { sources[place].forgetProof() }
        if let anchor { sources[anchor].evidence.forgetProof() }
    }

    /// Requires the sources to prove their file, because none is pinned any more.
    mutating func forgetFile() {
        for place in places { sources[place].evidence.forgetProof() }
    }

    // MARK: - Speed

    /// Ignores the time up to now, because the download was suspended.
    mutating func skip(to now: Moment) {
        for place in places { sources[place].evidence.record.skip(to: now) }
    }

    /// Counts consecutive segments below the minimum speed; returns their number.
    mutating func countSlow(_ isTooSlow: Bool, _ place: Int) -> Int {
        sources[place].slowStrikes = isTooSlow ? sources[place].slowStrikes + 1 : 0
        return sources[place].slowStrikes
    }

    /// Takes in that a connection is replaced as slow.
    mutating func wasReplaced(_ segment: Segment) {
        sources[segment.source].slowBytesPerSecond = segment.bytesPerSecond
    }

    // MARK: - Failures

    /// Follows a redirect; returns an error if it is not allowed.
    mutating func redirected(_ segment: Segment, to location: String) -> DownloadError? {
        let place = segment.source
        guard sources[place].exchange.isCurrent(segment.attempt, segment.url),
            case .fail(let error) = sources[place].exchange.redirected(to: location)
        else { return nil }
        return error
    }

    /// Returns whether the original URL is requested again after a refusal.
    mutating func renews(_ segment: Segment, after status: Int) -> Bool {
        sources[segment.source].exchange.renews(after: status, of: segment.attempt)
    }

    /// Lets a source that waits after a failure wait at least until `moment`.
    mutating func wait(_ place: Int, until moment: Moment) {
        if let retryAt = sources[place].retryAt { sources[place].retryAt = max(retryAt, moment) }
    }

    /// Stops using a source; returns whether another one takes over.
    mutating func giveUp(_ place: Int, _ error: DownloadError) -> Bool {
        guard sources[place].failure == nil else { return false }
        sources[place].failure = error
        return hasOther(than: place)
    }

    /// Takes in a failure after which the request may be repeated; returns `nil` if the failure was
    /// counted already: it counts once for all connections that it breaks.
    ///
    /// `isSurplus`: whether the connection received nothing while others to the source did. Then it
    /// exceeded the server's limit, which is not a failure of the source, and no reason to let the
    /// connections that are served end without a successor.
    mutating func failed(
        _ segment: Segment,
        _ error: DownloadError,
        _ repetition: ExchangePlanner.Repetition,
        isSurplus: Bool,
        at now: Moment
    ) -> ExchangePlanner.Step? {
        let place = segment.source
        guard sources[place].exchange.counts(failureOf: segment.attempt) else { return nil }
        // If another source can take over, the broken one may wait even the first time.
        let isAlone = !hasOther(than: place)
        let step =
            isSurplus
            ? surplus(segment, error, now)
            : sources[place].exchange.failed(error, repetition, mayRetryAtOnce: isAlone)
        if let delay = step.delay { sources[place].retryAt = now + delay }
        return step
    }

    private mutating func surplus(
        _ segment: Segment,
        _ error: DownloadError,
        _ now: Moment
    ) -> ExchangePlanner.Step {
        let (pause, delay) = (error.retryAfter ?? .zero, RetryPolicy.firstDelay)
        guard pause > .zero, !sources[segment.source].evidence.limit.wait(until: now + pause) else {
            return .send(after: delay)
        }
        return .sendLater(after: max(pause, delay), host: segment.host, pause: pause)
    }

    /// Stops waiting for the response of a source if another one could serve immediately; returns
    /// the time waited, or `nil` if the source is still waited for.
    mutating func leave(_ segment: Segment, at now: Moment) -> Duration? {
        let place = segment.source
        let isOtherReady = places.contains {
            $0 != place && sources[$0].isUsable && sources[$0].retryAt ?? now <= now
        }
        let patience = sources[place].evidence.record.patience(atMost: stallTimeout)
        guard !segment.isHeadAccepted, isOtherReady, now - segment.lastProgressAt >= patience else {
            return nil
        }
        // The source is used again later, with more time to respond.
        sources[place].retryAt = now + patience
        sources[place].evidence.record.lostPatience()
        return patience
    }
}
