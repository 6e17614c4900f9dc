/// The speed that a new connection to a source is expected to have.
struct SourceEstimate: Sendable {
    /// The index of the source among those of the download.
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
    private let segments: SegmentPlanner
    /// Returns how many connections to a source that serves some number may wait for a response.
    private let mostAwaiting: (Int) -> Int

    init(
        among sources: SourcePlanner,
        for segments: SegmentPlanner,
        _ slots: SlotLedger,
        target: Int,
        isSingleStream: Bool,
        at now: Moment,
        mostAwaiting: @escaping (Int) -> Int
    ) {
        self.mostAwaiting = mostAwaiting
        (self.sources, self.slots, self.target) = (sources, slots, target)
        (self.isSingleStream, self.now) = (isSingleStream, now)
        self.segments = segments
    }

    /// Returns the source with the highest expected speed; `nil` if none may be used now.
    func best() -> SourceEstimate? {
        let estimates = sources.indices.filter(mayBeAsked).map(estimate)
        if isSingleStream {
            return estimates.min {
                (failureCount(of: $0), $0.source) < (failureCount(of: $1), $1.source)
            }
        }
        guard let best = Self.fastest(estimates) else { return nil }
        // Prefer an idle source: a further connection to one in use may add nothing. Skip an idle
        // source if it would be replaced as slow, or just was.
        let idle = Self.fastest(
            estimates.filter {
                $0.connections == 0 && sources[$0.source].slowBytesPerSecond == nil
            }
        )
        let least = best.bytesPerSecond * SegmentPlanner.slowFraction
        return idle.flatMap { $0.bytesPerSecond >= least ? $0 : nil } ?? best
    }

    /// Returns the estimates of the sources whose speed is known.
    func estimates() -> [SourceEstimate] {
        guard sources.indices.count > 1 else { return [] }
        return sources.indices.filter { mayBeAsked($0) && speed(of: $0) != nil }.map(estimate)
    }

    private static func fastest(_ estimates: [SourceEstimate]) -> SourceEstimate? {
        estimates.max {
            ($0.bytesPerSecond, -$0.connections, -$0.source)
                < ($1.bytesPerSecond, -$1.connections, -$1.source)
        }
    }

    private func failureCount(of estimate: SourceEstimate) -> Int {
        let source = sources[estimate.source]
        return source.exchange.failures + source.evidence.record.timeouts
    }

    private func mayBeAsked(_ index: Int) -> Bool {
        let source = sources[index]
        guard source.isUsable, source.retryAt == nil, !slots.isWaiting(for: source.host),
            isSingleStream || source.evidence.ranges != .unusable
        else { return false }
        let mine = segments.segments.values.filter { $0.source == index }
        // Until a head was good, one connection tests for all (redirects, a new URL, an outage).
        let isSilent = source.evidence.leavesUnanswered && !segments.hasFreeConnection(to: index)
        if !source.exchange.isConfirmed || source.evidence.hasBrokenRange || isSilent
            || source.exchange.failures > (sources.indices.count > 1 ? 0 : 1)
        {
            guard mine.allSatisfy(\.isHeadAccepted) else { return false }
        }
        guard !source.evidence.limit.isSettling else { return false }
        let serving = mine.count(where: \.isHeadAccepted)
        guard mine.count - serving < mostAwaiting(serving) else { return false }
        return mine.count < min(source.evidence.limit.allowed(at: now), share(of: index))
    }

    /// Returns the number of connections that a source may have while the speed of another one has
    /// not been measured yet.
    private func share(of index: Int) -> Int {
        let usable = sources.indices.filter { sources[$0].isUsable && sources[$0].retryAt == nil }
        guard usable.contains(where: { $0 != index && isUntried($0) }) else { return .max }
        return (target + usable.count - 1) / usable.count
    }

    private func isUntried(_ index: Int) -> Bool {
        let source = sources[index]
        return source.evidence.ranges != .unusable && source.exchange.failures == 0
            && source.evidence.record.timeouts == 0 && !slots.isWaiting(for: source.host)
            && speed(of: index) == nil
    }

    /// Returns the estimate for one more connection: its share of the speed of its source.
    private func estimate(of index: Int) -> SourceEstimate {
        let count = segments.segments.values.count { $0.source == index }
        let source = sources[index]
        var estimate = SourceEstimate(
            source: index,
            bytesPerSecond: (speed(of: index) ?? 0) / Double(count + 1),
            connections: count
        )
        if count == 0 {
            // A source that failed is retried as if it were new, one connection at a time.
            let speed = source.exchange.failures > 0 ? nil : speed(of: index)
            let most = source.slowBytesPerSecond ?? .infinity
            estimate.bytesPerSecond = speed.map { min($0, most) } ?? .infinity
        }
        return estimate
    }

    private func speed(of index: Int) -> Double? { sources[index].evidence.record.speed(at: now) }
}
