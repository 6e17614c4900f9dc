/// The speed that a new connection to a source is expected to have.
struct SourcePromise: Sendable {
    /// The place of the source among those of the download.
    var source: Int
    /// The expected speed; infinite if it has not been measured yet.
    var bytesPerSecond: Double
    /// The number of connections that the source has already.
    var connections: Int

    /// The expected speed; `nil` if it is not known, or no byte has been received yet.
    var known: Double? { bytesPerSecond.isFinite && bytesPerSecond > 0 ? bytesPerSecond : nil }
}

/// Chooses the source of the next connection, from the facts known at one moment.
struct SourceChoice {
    private let sources: SourcePlanner
    private let slots: SlotLedger
    private let target: Int
    /// Whether the sources serve one stream only; then the first source has precedence.
    private let isSingleStream: Bool
    private let now: Moment
    private let transfers: [TransferID: Segment]

    init(
        among sources: SourcePlanner,
        for segments: SegmentPlanner,
        _ slots: SlotLedger,
        target: Int,
        isSingleStream: Bool,
        at now: Moment
    ) {
        (self.sources, self.slots, self.target) = (sources, slots, target)
        (self.isSingleStream, self.now) = (isSingleStream, now)
        transfers = segments.segments
    }

    /// Returns the source with the highest expected speed; `nil` if none may be used now.
    func best() -> SourcePromise? {
        let promises = sources.places.filter(mayBeAsked).map(promise)
        if isSingleStream {
            return promises.min { (setbacks(of: $0), $0.source) < (setbacks(of: $1), $1.source) }
        }
        guard let best = Self.fastest(promises) else { return nil }
        // One more connection to a source in use may add nothing; one to an idle source adds to the
        // total. An idle source is left out only if it would be replaced as slow, or just was.
        let idle = Self.fastest(
            promises.filter {
                $0.connections == 0 && sources[$0.source].slowBytesPerSecond == nil
            }
        )
        let least = best.bytesPerSecond * SegmentPlanner.slowFraction
        return idle.flatMap { $0.bytesPerSecond >= least ? $0 : nil } ?? best
    }

    /// Returns the promises of the sources whose speed is known.
    func promises() -> [SourcePromise] {
        guard sources.places.count > 1 else { return [] }
        return sources.places.filter { mayBeAsked($0) && speed(of: $0) != nil }.map(promise)
    }

    private static func fastest(_ promises: [SourcePromise]) -> SourcePromise? {
        promises.max {
            ($0.bytesPerSecond, -$0.connections, -$0.source)
                < ($1.bytesPerSecond, -$1.connections, -$1.source)
        }
    }

    private func setbacks(of promise: SourcePromise) -> Int {
        let source = sources[promise.source]
        return source.exchange.failures + source.evidence.record.impatience
    }

    private func mayBeAsked(_ place: Int) -> Bool {
        let source = sources[place]
        guard source.isUsable, source.retryAt == nil, !slots.isWaiting(for: source.host),
            isSingleStream || source.evidence.ranges != .unusable
        else { return false }
        let mine = transfers.values.filter { $0.source == place }
        // Until a head was good, one connection tests for all (redirects, a new URL, an outage).
        if !source.exchange.isConfirmed || source.evidence.hasBrokenRange
            || source.exchange.failures > (sources.places.count > 1 ? 0 : 1)
        {
            guard mine.allSatisfy(\.isHeadAccepted) else { return false }
        }
        guard !source.evidence.limit.isSettling else { return false }
        return mine.count < min(source.evidence.limit.allowed(at: now), share(of: place))
    }

    /// Returns the number of connections that a source may have while the speed of another one has
    /// not been measured yet.
    private func share(of place: Int) -> Int {
        let usable = sources.places.filter { sources[$0].isUsable && sources[$0].retryAt == nil }
        guard usable.contains(where: { $0 != place && isUntried($0) }) else { return .max }
        return (target + usable.count - 1) / usable.count
    }

    private func isUntried(_ place: Int) -> Bool {
        let source = sources[place]
        return source.evidence.ranges != .unusable && source.exchange.failures == 0
            && source.evidence.record.impatience == 0 && !slots.isWaiting(for: source.host)
            && speed(of: place) == nil
    }

    /// Returns the promise for one more connection: its share of the speed of its source.
    private func promise(of place: Int) -> SourcePromise {
        let count = transfers.values.count { $0.source == place }
        let source = sources[place]
        var promise = SourcePromise(
            source: place,
            bytesPerSecond: (speed(of: place) ?? 0) / Double(count + 1),
            connections: count
        )
        if count == 0 {
            // A source that failed is retried as if it were new, one connection at a time.
            let speed = source.exchange.failures > 0 ? nil : speed(of: place)
            let most = source.slowBytesPerSecond ?? .infinity
            promise.bytesPerSecond = speed.map { min($0, most) } ?? .infinity
        }
        return promise
    }

    private func speed(of place: Int) -> Double? { sources[place].evidence.record.speed(at: now) }
}
