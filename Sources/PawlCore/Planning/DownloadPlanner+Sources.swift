/// What a new connection to a source should bring.
struct SourcePromise: Sendable {
    /// Its place among the download's.
    var source: Int
    /// Infinite where that is to be found out.
    var bytesPerSecond: Double
    /// Connections that it has already.
    var connections: Int

    /// Nil where nothing is known, nor has come yet.
    var known: Double? { bytesPerSecond.isFinite && bytesPerSecond > 0 ? bytesPerSecond : nil }
}

/// Which of several sources to ask, and which not any more.
extension DownloadPlanner {
    /// The source that promises the most; nil where none may be asked now.
    func chooseSource(_ now: Moment) -> SourcePromise? {
        let promises = sources.indices.filter { mayBeAsked($0, now) }.map { promise(of: $0, now) }
        // Before there is anything to compare, the one that was asked for, then those that failed
        // less.
        if pinned == nil || isSingleStream {
            return promises.min {
                (setbacks(of: $0), $0.source) < (setbacks(of: $1), $1.source)
            }
        }
        guard let best = Self.mostPromising(promises) else { return nil }
        // One more to a source that is asked already may bring nothing; an idle one's comes on top. It
        // is left out only where its connection would be replaced, or just was.
        let idle = Self.mostPromising(
            promises.filter {
                $0.connections == 0 && sources[$0.source].slowBytesPerSecond == nil
            }
        )
        let least = best.bytesPerSecond * SegmentPlanner.slowFraction
        return idle.flatMap { $0.bytesPerSecond >= least ? $0 : nil } ?? best
    }

    private static func mostPromising(_ promises: [SourcePromise]) -> SourcePromise? {
        promises.max {
            ($0.bytesPerSecond, -$0.connections, -$0.source)
                < ($1.bytesPerSecond, -$1.connections, -$1.source)
        }
    }

    private func setbacks(of promise: SourcePromise) -> Int {
        let source = sources[promise.source]
        return source.retry.failures + source.record.impatience
    }

    private func mayBeAsked(_ place: Int, _ now: Moment) -> Bool {
        let source = sources[place]
        guard source.isUsable, source.retryAt == nil, !slots.isWaiting(for: source.host),
            isSingleStream || source.ranges != .unusable
        else { return false }
        let mine = parts.segments.values.filter { $0.source == place }
        // Until a head was good, one connection learns for all (redirects, a new URL, an outage).
        if !source.isConfirmed || source.brokenRanges > 0
            || source.retry.failures > (sources.count > 1 ? 0 : 1)
        {
            guard mine.allSatisfy(\.isHeadAccepted) else { return false }
        }
        guard !source.limit.isSettling else { return false }
        return mine.count < min(source.limit.allowed(at: now), share(of: place, now))
    }

    /// How many connections a source may have while another one is still to be measured.
    private func share(of place: Int, _ now: Moment) -> Int {
        let usable = sources.indices.filter { sources[$0].isUsable && sources[$0].retryAt == nil }
        let isOpen = usable.contains { $0 != place && isUntried($0, now) }
        guard isOpen else { return .max }
        return (governor.target + usable.count - 1) / usable.count
    }

    private func isUntried(_ place: Int, _ now: Moment) -> Bool {
        let source = sources[place]
        return source.ranges != .unusable && source.retry.failures == 0
            && source.record.impatience == 0 && !slots.isWaiting(for: source.host)
            && source.record.speed(at: now) == nil
    }

    /// What the sources promise of which something is known.
    func promises(at now: Moment) -> [SourcePromise] {
        guard sources.count > 1 else { return [] }
        return sources.indices.filter {
            mayBeAsked($0, now) && sources[$0].record.speed(at: now) != nil
        }.map { promise(of: $0, now) }
    }

    /// A source's connections may share what it gives: one more is promised its part of it.
    private func promise(of place: Int, _ now: Moment) -> SourcePromise {
        let count = parts.segments.values.count { $0.source == place }
        let source = sources[place]
        guard count > 0 else {
            // One that failed is tried again as if it were new, once at a time.
            let speed = source.retry.failures > 0 ? nil : source.record.speed(at: now)
            let most = source.slowBytesPerSecond ?? .infinity
            return SourcePromise(
                source: place,
                bytesPerSecond: speed.map { min($0, most) } ?? .infinity,
                connections: 0
            )
        }
        let speed = source.record.speed(at: now) ?? 0
        return SourcePromise(
            source: place,
            bytesPerSecond: speed / Double(count + 1),
            connections: count
        )
    }

    func hasOther(than place: Int) -> Bool {
        sources.indices.contains { $0 != place && sources[$0].isUsable }
    }
}

// MARK: - Proof

extension DownloadPlanner {
    /// What a source's next answer is judged by.
    func expectation(of place: Int) -> (pinned: Representation?, proof: SourceProof) {
        guard isStranger(place) else { return (sources[place].known ?? pinned, .unchanged) }
        return (pinned, .sameFile(digest: givenDigest))
    }

    /// What a source said before, if nothing is pinned because that was given up.
    func former(of place: Int) -> Representation? {
        pinned == nil && place == former?.place ? former?.representation : nil
    }

    /// Whether nothing is proven yet of what a source has.
    func isStranger(_ place: Int) -> Bool {
        pinned != nil && place != anchor && !isAdopting && sources[place].known == nil
    }

    var givenDigest: ContentDigest? {
        if case .digest(let digest) = settings.checksum { digest } else { nil }
    }

    /// The source that an earlier run's representation is of.
    ///
    /// A single one answers for what any URL has given: it is asked for the same file.
    func place(of point: StartingPoint) -> Int? {
        if sources.count == 1 || point.isForeign { return 0 }
        let first = point.firstSource
        return sources.firstIndex { first == $0.original.redacted }
    }

    /// The URLs for the checkpoint, their secrets hidden: first the one whose answer is pinned.
    package func sourceText(pinnedBy id: TransferID?) -> String {
        let first = id.flatMap { parts.segments[$0]?.source } ?? anchor ?? 0
        let others = sources.indices.filter { $0 != first }
        return ([first] + others).map { sources[$0].original.redacted }.joined(separator: "\n")
    }

    /// A source's answer is the first of what is pinned from now on: the others are to prove theirs.
    mutating func pin(_ representation: Representation, by place: Int?) {
        pinned = representation
        anchor = place
        for other in sources.indices where other != place { sources[other].forgetProof() }
        if let place { sources[place].known = nil }
    }
}

// MARK: - Out

extension DownloadPlanner {
    /// A source that will not be asked again.
    mutating func giveUp(
        _ place: Int,
        _ error: DownloadError,
        _ actions: inout [DownloadAction]
    ) {
        guard sources[place].failure == nil else { return }
        sources[place].failure = error
        guard hasOther(than: place) else { return }
        actions.append(.log("\(error.message): going on with the other sources"))
    }

    /// A source of which nothing proves that it has the same file.
    mutating func doubt(_ place: Int, _ reason: String, _ actions: inout [DownloadAction]) {
        sources[place].doubt = reason
        sources[place].known = nil
        actions.append(.log("\(sources[place].host) is not used: \(reason)"))
        for segment in parts.segments.values.sorted(by: { $0.id < $1.id })
        where segment.source == place && !segment.isHeadAccepted {
            close(segment.id, &actions)
        }
    }

    /// Not what its source said before: what it has now is to be proven anew, once.
    mutating func mirrorChanged(_ place: Int, _ actions: inout [DownloadAction]) {
        sources[place].changes += 1
        guard sources[place].changes > 1 else { return sources[place].forgetProof() }
        doubt(place, "its file changes", &actions)
    }

    /// No source is left.
    ///
    /// Those that were only doubted may have another version of the file: better than none.
    mutating func runOut(_ now: Moment, _ actions: inout [DownloadAction]) {
        guard sources.contains(where: { $0.failure == nil }), !isAdopting else {
            return fail(lastError, &actions)
        }
        if !parts.have.isEmpty {
            actions.append(
                .notice("no source is left that is proven to have the same file: starting over")
            )
        }
        for place in sources.indices { sources[place].forgetProof() }
        pinned = nil
        highWater = 0
        drain(.startOver(held: nil, nil), keeping: nil, &actions)
        proceed(now, &actions)
    }

    /// Of several the one that gives most hope, else that of the URL that was asked for.
    private var lastError: DownloadError {
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
}

// MARK: - Too late

extension DownloadPlanner {
    /// Whether a source keeps others waiting that could serve at once.
    func isTooLate(_ segment: Segment, _ now: Moment) -> Bool {
        guard !segment.isHeadAccepted, hasReadyOther(than: segment.source, now) else {
            return false
        }
        let patience = sources[segment.source].record.patience(atMost: settings.stallTimeout)
        return now - segment.lastProgressAt >= patience
    }

    private func hasReadyOther(than place: Int, _ now: Moment) -> Bool {
        sources.indices.contains {
            $0 != place && sources[$0].isUsable && sources[$0].retryAt ?? now <= now
        }
    }

    /// It is asked again later, and given more time.
    mutating func leave(_ segment: Segment, _ now: Moment, _ actions: inout [DownloadAction]) {
        let place = segment.source
        let patience = sources[place].record.patience(atMost: settings.stallTimeout)
        actions.append(.log("no answer from \(segment.host) for \(patience): another source"))
        close(segment.id, &actions)
        sources[place].retryAt = now + patience
        sources[place].record.lostPatience()
    }
}

extension Source {
    mutating func passTime(_ now: Moment) {
        if let moment = retryAt, now >= moment { retryAt = nil }
    }
}
