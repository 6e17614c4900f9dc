internal import struct FoundationEssentials.URL

/// The sources of a download: which may be asked, when one is asked again after a failure, and
/// which are not asked any more.
struct SourcePlanner: Sendable {
    /// The URL that was asked for, then its mirrors.
    private var sources: [Source]
    /// How long to wait for an answer at most.
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

    /// The sources that may be asked now.
    var ready: [Source] { sources.filter { $0.isUsable && $0.retryAt == nil } }

    /// When the next source may be asked again; `nil` if none waits.
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

    /// The number of connections that all usable sources together allow.
    func connectionsAllowed(at now: Moment) -> Int {
        sources.lazy.filter(\.isUsable).map { $0.evidence.limit.allowed(at: now) }
            .reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 }
    }

    private func hasOther(than place: Int) -> Bool {
        places.contains { $0 != place && sources[$0].isUsable }
    }

    /// Whether a source, other than `place`, has not failed; it may be doubted.
    func hasUnfailed(besides place: Int? = nil) -> Bool {
        places.contains { $0 != place && sources[$0].failure == nil }
    }

    /// The source with the URL whose answer an earlier run pinned; a single source stands for any
    /// URL: it is asked for the same file.
    func place(of point: StartingPoint) -> Int? {
        if sources.count == 1 || point.isForeign { return 0 }
        return place(of: point.firstSource)
    }

    func place(of redactedURL: String?) -> Int? {
        sources.firstIndex { redactedURL == $0.exchange.originalURL.redacted }
    }

    /// The URLs for the checkpoint without their secrets, beginning with that of `first`.
    func text(first: Int) -> String {
        ([first] + places.filter { $0 != first })
            .map { sources[$0].exchange.originalURL.redacted }.joined(separator: "\n")
    }

    /// The error of the most hopeful source if every source has failed, otherwise that of the
    /// first.
    var lastError: DownloadError {
        let failures = sources.compactMap(\.failure)
        let hopeful = failures.first { $0.retryClass == .later || $0.retryClass == .now }
        guard var error = hopeful ?? failures.first else {
            return DownloadError(.unknown, "no source is left")
        }
        if failures.count > 1 {
            error.context = "trying \(failures.count) sources, all of which failed"
        }
        return error
    }

    mutating func passTime(_ now: Moment) {
        for place in places { sources[place].passTime(now) }
    }

    /// Requires the sources to prove their file: another one is pinned, by `anchor`.
    mutating func forgetProofs(besides anchor: Int? = nil) {
        for place in places where place != anchor { sources[place].forgetProof() }
        if let anchor { sources[anchor].evidence.forgetProof() }
    }

    /// Stops asking a source; returns whether another one takes over.
    mutating func giveUp(_ place: Int, _ error: DownloadError) -> Bool {
        guard sources[place].failure == nil else { return false }
        sources[place].failure = error
        return hasOther(than: place)
    }

    /// Takes in a failure that may be repeated; returns `nil` if it counts already: it counts once
    /// for all connections that it breaks.
    ///
    /// `isSurplus`: the connection received nothing while others to the source did. Then it was one
    /// too many, which is no failure of the source, and no reason to let the connections that are
    /// served end without a successor.
    mutating func failed(
        _ segment: Segment,
        _ error: DownloadError,
        _ repetition: ExchangePlanner.Repetition,
        isSurplus: Bool,
        at now: Moment
    ) -> ExchangePlanner.Step? {
        let place = segment.source
        guard sources[place].exchange.counts(failureOf: segment.attempt) else { return nil }
        // If another source can take over, a broken one may wait first.
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

    /// Stops waiting for the answer of a source if another one could serve at once; returns how
    /// long it was waited for; `nil` if it is not left.
    mutating func leave(_ segment: Segment, at now: Moment) -> Duration? {
        let place = segment.source
        let isOtherReady = places.contains {
            $0 != place && sources[$0].isUsable && sources[$0].retryAt ?? now <= now
        }
        let patience = sources[place].evidence.record.patience(atMost: stallTimeout)
        guard !segment.isHeadAccepted, isOtherReady, now - segment.lastProgressAt >= patience else {
            return nil
        }
        // It is asked again later, and given more time.
        sources[place].retryAt = now + patience
        sources[place].evidence.record.lostPatience()
        return patience
    }
}
