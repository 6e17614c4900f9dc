package import struct FoundationEssentials.URL

/// One download's decisions: events in, actions out.
///
/// Reads no clock and does no I/O.
///
/// It joins the parts that decide one thing each: `SegmentPlanner` which bytes, the
/// `ConnectionGovernor` how many connections, the `RetryPolicy` when again.
package struct DownloadPlanner: Sendable {
    let settings: DownloadSettings
    var parts = SegmentPlanner()
    var governor: ConnectionGovernor
    /// The URL that was asked for, then its mirrors.
    var sources: [Source]
    /// What the first good response said; nil before there was one.
    var pinned: Representation? {
        didSet {
            if pinned == nil, let oldValue { former = (oldValue, anchor) }
            parts.provesSeams = needsSeams
        }
    }
    /// What was pinned last, after it was given up, and the place of the source that said it.
    private(set) var former: (representation: Representation, place: Int?)?
    /// The place of the source that said it; nil where it is not among them.
    var anchor: Int?
    /// Whether all that is there is another tool's, and no answer has fitted it yet.
    package internal(set) var isAdopting = false
    var phase = Phase.running
    /// How often the representation changed.
    var changes = 0
    /// How often bytes differed though nothing told of a change.
    var differences = 0
    /// The most bytes that were ever there: only more than that is progress.
    var highWater: Int64 = 0
    var slots = SlotLedger()
    var gate: ConnectivityGate
    /// Whether the caller had it suspended at the last tick.
    var isSuspended = false
    /// Draws where an earlier run's bytes are compared.
    var random: SplitMix64
    private var nextNumber = 1

    enum Phase {
        case running
        /// A response is held until its store is there.
        case openingStore(TransferID, Representation)
        /// Waiting for all transfers but the held one to end before bytes are dropped.
        case draining(Draining)
        /// Waiting for the store to be emptied.
        case resetting(TransferID?, Representation)
        /// All bytes are there and are being made safe; a failed sync leads back.
        case finishing
        case ended
    }

    enum Draining {
        /// Start over, with this held response if there is one.
        case startOver(held: TransferID?, Representation?)
        /// Go on with this held response, which is compared with all that is there.
        case skip(held: TransferID)
        /// Keep only what a sync proved.
        case restrict(RangeSet)
        case complete(Int64)
    }

    package init(url: URL, mirrors: [URL] = [], settings: DownloadSettings, seed: UInt64) {
        self.settings = settings
        governor = ConnectionGovernor(settings.connections)
        sources = zip([url] + mirrors, UInt64(0)...).map { address, place in
            let retry = RetryPolicy(limit: settings.retries, seed: seed &+ place)
            return Source(original: address, retry: retry)
        }
        gate = ConnectivityGate(settings, seed: seed)
        random = SplitMix64(seed: seed)
    }

    package mutating func handle(_ event: DownloadEvent, at now: Moment) -> [DownloadAction] {
        if case .ended = phase { return late(event) }
        var actions: [DownloadAction] = []
        switch event {
        case .started(let point): begin(at: point, &actions)
        case .slotGranted(let host): slots.granted(host)
        case .headJudged(let id, let verdict, let connectTime):
            gate.wasAnswered()
            noteConnection(of: id, connectTime)
            judged(id, verdict, now, &actions)
        case .storeOpened(let id, let point): storeOpened(id, point, now, &actions)
        case .storeReset(let id): storeReset(id, now, &actions)
        case .transferEnded(let id, let offset, let outcome):
            ended(id, offset, outcome, now, &actions)
        case .ticked(let samples, let work, let isSuspended):
            self.isSuspended = isSuspended
            if isSuspended {
                stoodStill(samples, now)
            } else {
                ticked(samples, work, now, &actions)
            }
        case .networkChanged(let path): networkChanged(path, now, &actions)
        case .seamDiffered(let id): seamDiffered(id, &actions)
        case .syncFailed(let durable):
            // Bytes that are being dropped need no distrust.
            if case .draining(.startOver) = phase { break }
            drain(.restrict(durable), keeping: nil, &actions)
        case .abandoned:
            phase = .ended
            slots.releaseAll(&actions)
        }
        proceed(now, &actions)
        return actions
    }

    /// When to tick next; nil where only an event can change anything.
    package func wakeAt(_ now: Moment) -> Moment? {
        if case .ended = phase { return nil }
        if isHeldByNetwork, parts.segments.isEmpty { return gate.opensAt }
        guard !parts.segments.isEmpty else {
            // The host may be closed for a while (Retry-After), and its opening wakes nobody.
            let look = slots.isWaiting ? now + .seconds(1) : nil
            return [look, retryAt].compactMap(\.self).min()
        }
        let isMeasuring = governor.isMeasuring && !isSuspended
        return now + (isMeasuring ? .milliseconds(25) : .milliseconds(200))
    }

    /// Whether the download waits before it tries again.
    package var isWaitingToRetry: Bool {
        let usable = sources.filter(\.isUsable)
        return parts.segments.isEmpty && !usable.isEmpty && usable.allSatisfy { $0.retryAt != nil }
    }

    private var retryAt: Moment? { sources.filter(\.isUsable).compactMap(\.retryAt).min() }

    /// The bytes that are there, those of running transfers included.
    package var arrived: RangeSet { parts.arrived }

    /// What the last good response said.
    package var representation: Representation? { pinned }

    /// After the end only slots are still handed back.
    private mutating func late(_ event: DownloadEvent) -> [DownloadAction] {
        switch event {
        case .slotGranted(let host): [.releaseSlot(host: host)]
        case .transferEnded(let id, let offset, _):
            parts.finish(id, offset: offset).map { [.releaseSlot(host: $0.host)] } ?? []
        default: []
        }
    }

    /// The newest transfer.
    var lastID: TransferID { TransferID(nextNumber - 1) }

    mutating func nextID() -> TransferID {
        defer { nextNumber += 1 }
        return TransferID(nextNumber)
    }

    mutating func close(_ id: TransferID, _ actions: inout [DownloadAction]) {
        guard let segment = parts.segments[id], !segment.isClosing else { return }
        parts.update(id) { $0.isClosing = true }
        actions.append(.close(id))
    }

    /// Ends with an error; the driver keeps what is there.
    mutating func fail(_ error: DownloadError, _ actions: inout [DownloadAction]) {
        if case .ended = phase { return }
        phase = .ended
        slots.releaseAll(&actions)
        actions.append(.fail(error))
    }
}

// MARK: - Beginning

extension DownloadPlanner {
    private mutating func begin(at point: StartingPoint?, _ actions: inout [DownloadAction]) {
        guard let point else { return }
        isAdopting = point.isForeign
        guard canResume(point) else {
            actions.append(
                .notice(
                    "what is there cannot be resumed: nothing would prove that the file is still "
                        + "the same; starting over"
                )
            )
            return
        }
        pinned = point.representation
        anchor = place(of: point)
        if let anchor { sources[anchor].hasServed = !point.have.isEmpty }
        beginParts(with: point, total: point.representation.total)
    }

    /// Whether bytes of an earlier run may be joined with new ones: validators prove that they fit, or
    /// the bytes do where they meet (``Seam``).
    package func canResume(_ representation: Representation) -> Bool {
        guard representation.contentEncoding == nil else { return false }
        if representation.validatorStrength == .strong { return true }
        return (representation.total != nil || isAdopting) && settings.allowsWeakResume
    }

    /// Whether a whole response may be joined with what is there: validators prove that it is of the
    /// same, or its length fits and what is there is compared with it.
    func mayJoin(_ seen: Representation, to known: Representation, have: RangeSet) -> Bool {
        if known.isProvenSame(seen) { return true }
        guard canResume(known) || parts.provesSeams, known.validatorStrength != .strong,
            let total = seen.total
        else { return false }
        return known.compare(seen) == .same && seen.contentEncoding == nil
            && (have.ranges.last?.end ?? 0) <= total
    }
}
