internal import struct FoundationEssentials.URL

/// Decides which sources of a download may be used, when one is used again after a failure, and
/// which are given up.
struct SourcePlanner: Sendable {
    /// The source with the requested URL, then its mirrors.
    private var sources: [Source]
    /// The maximum time to wait for an answer.
    private let stallTimeout: Duration

    init(_ urls: [URL], _ settings: DownloadSettings, seed: UInt64) {
        stallTimeout = settings.stallTimeout
        sources = zip(urls, UInt64(0)...).map { url, place in
            Source(ExchangePlanner(url: url, settings: settings, seed: seed &+ place))
        }
    }

    subscript(place: Int) -> Source {
        get { sources[place] }
        set { sources[place] = newValue }
    }

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

    /// Returns the source with the URL whose answer an earlier run pinned; a single source stands
    /// for any URL, because the same file is requested from it.
    func place(of point: StartingPoint) -> Int? {
        if sources.count == 1 || point.isForeign { return 0 }
        return place(of: point.firstSource)
    }

    func place(of redactedURL: String?) -> Int? {
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

    /// Requires the sources to prove their file, because another one is pinned, by `anchor`.
    mutating func forgetProofs(besides anchor: Int? = nil) {
        for place in places where place != anchor { sources[place].forgetProof() }
        if let anchor { sources[anchor].evidence.forgetProof() }
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

    /// Stops waiting for the answer of a source if another one could serve immediately; returns the
    /// time waited, or `nil` if the source is still waited for.
    mutating func leave(_ segment: Segment, at now: Moment) -> Duration? {
        let place = segment.source
        let isOtherReady = places.contains {
            $0 != place && sources[$0].isUsable && sources[$0].retryAt ?? now <= now
        }
        let patience = sources[place].evidence.record.patience(atMost: stallTimeout)
        guard !segment.isHeadAccepted, isOtherReady, now - segment.lastProgressAt >= patience else {
            return nil
        }
        // The source is used again later, with more time to answer.
        sources[place].retryAt = now + patience
        sources[place].evidence.record.lostPatience()
        return patience
    }
}
