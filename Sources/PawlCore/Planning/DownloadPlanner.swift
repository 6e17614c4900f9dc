package import struct FoundationEssentials.URL

/// Makes the decisions of one download: takes events and returns actions.
///
/// It reads no clock and does no I/O. Each part makes one decision: `SegmentPlanner` which bytes
/// to fetch, `SourcePlanner` from which source and when to retry, `ConnectionGovernor` how many
/// connections to use, `PinnedFile` which answers may be joined, `ConnectivityGate` whether the
/// network may be used.
package struct DownloadPlanner: Sendable {
    let settings: DownloadSettings
    var parts = SegmentPlanner()
    var governor: ConnectionGovernor
    var sources: SourcePlanner
    /// The representation to which the bytes belong.
    var file: PinnedFile { didSet { parts.provesSeams = file.needsSeams } }
    var phase = Phase.running
    /// The number of changes of the representation.
    var changes = 0
    /// The number of times that bytes differed although nothing indicated a change.
    var differences = 0
    /// The highest number of bytes so far; only more than that is progress.
    var highWater: Int64 = 0
    var slots = SlotLedger()
    var gate: ConnectivityGate
    /// Whether the download was suspended at the last tick.
    var isSuspended = false
    /// The generator that chooses where the bytes of an earlier run are compared.
    var random: SplitMix64
    private var nextNumber = 1
    /// The moment of the event that is being handled.
    var now = Moment.zero
    /// The actions of the event that is being handled.
    var actions: [DownloadAction] = []

    enum Phase {
        case running
        /// A response is held until its store is open.
        case openingStore(TransferID, Representation)
        /// All transfers but the held one are ending.
        case draining(Draining)
        /// The store is being emptied.
        case resetting(TransferID?, Representation)
        /// All bytes are present and are being synced; if that fails, the download continues.
        case finishing
        case ended
    }

    enum Draining {
        /// Starts over, with a held response if there is one.
        case startOver(held: TransferID?, Representation?)
        /// Resumes the held response, which is compared with all bytes received so far.
        case skip(held: TransferID)
        /// Keeps only the bytes that a sync proved.
        case restrict(RangeSet)
        case complete(Int64)
    }

    package init(url: URL, mirrors: [URL] = [], settings: DownloadSettings, seed: UInt64) {
        self.settings = settings
        governor = ConnectionGovernor(settings.connections)
        sources = SourcePlanner([url] + mirrors, settings, seed: seed)
        file = PinnedFile(settings)
        gate = ConnectivityGate(settings, seed: seed)
        random = SplitMix64(seed: seed)
    }

    package mutating func handle(_ event: DownloadEvent, at now: Moment) -> [DownloadAction] {
        if case .ended = phase { return late(event) }
        self.now = now
        defer { actions = [] }
        switch event {
        case .started(let point): begin(at: point)
        case .slotGranted(let host): slots.granted(host)
        case .headJudged(let id, let verdict, let connectTime):
            gate.wasAnswered()
            noteConnection(of: id, connectTime)
            judged(id, verdict)
        case .storeOpened(let id, let point): storeOpened(id, point)
        case .storeReset(let id): storeReset(id)
        case .transferEnded(let id, let offset, let outcome):
            ended(id, offset, outcome)
        case .ticked(let samples, let work, let isSuspended):
            self.isSuspended = isSuspended
            if isSuspended {
                stoodStill(samples)
            } else {
                ticked(samples, work)
            }
        case .networkChanged(let path): networkChanged(path)
        case .seamDiffered(let id): seamDiffered(id)
        case .syncFailed(let durable):
            // The bytes are being dropped in any case.
            if case .draining(.startOver) = phase { break }
            drain(.restrict(durable), keeping: nil)
        case .abandoned:
            phase = .ended
            slots.releaseAll(&actions)
        }
        proceed()
        return actions
    }

    /// Returns the moment of the next tick; `nil` if only an event can change anything.
    package func wakeAt(_ now: Moment) -> Moment? {
        if case .ended = phase { return nil }
        if isHeldByNetwork, parts.segments.isEmpty { return gate.opensAt }
        guard !parts.segments.isEmpty else {
            // No event reports that a host is open again after `Retry-After`.
            let look = slots.isWaiting ? now + .seconds(1) : nil
            return [look, sources.retryAt].compactMap(\.self).min()
        }
        let isMeasuring = governor.isMeasuring && !isSuspended
        return now + (isMeasuring ? .milliseconds(25) : .milliseconds(200))
    }

    /// Whether the download waits before it tries again.
    package var isWaitingToRetry: Bool {
        parts.segments.isEmpty && sources.isAnyUsable && sources.ready.isEmpty
    }

    /// The bytes received so far, including those of open transfers.
    package var arrived: RangeSet { parts.arrived }

    /// The pinned representation.
    package var representation: Representation? { file.representation }

    /// Whether all bytes are another tool's, and no answer has matched them yet.
    package var isAdopting: Bool { file.isAdopting }

    /// Whether a source serves ranges; `nil` if that is not known yet.
    package var acceptsRanges: Bool? { sources.acceptsRanges }

    /// Returns whether bytes of an earlier run may be joined with new ones.
    package func canResume(_ known: Representation) -> Bool { file.canResume(known) }

    /// Returns the URLs for the checkpoint without their secrets, first the one whose answer is
    /// pinned.
    package func sourceText(pinnedBy id: TransferID?) -> String {
        sources.text(first: id.flatMap { parts.segments[$0]?.source } ?? file.anchor ?? 0)
    }

    /// Handles an event after the end of the download: only slots are returned.
    private mutating func late(_ event: DownloadEvent) -> [DownloadAction] {
        switch event {
        case .slotGranted(let host): [.releaseSlot(host: host)]
        case .transferEnded(let id, let offset, _):
            parts.finish(id, offset: offset).map { [.releaseSlot(host: $0.host)] } ?? []
        default: []
        }
    }

    /// The id of the newest transfer.
    var lastID: TransferID { TransferID(nextNumber - 1) }

    mutating func nextID() -> TransferID {
        defer { nextNumber += 1 }
        return TransferID(nextNumber)
    }

    mutating func close(_ id: TransferID) {
        guard let segment = parts.segments[id], !segment.isClosing else { return }
        parts.update(id) { $0.isClosing = true }
        actions.append(.close(id))
    }

    mutating func log(_ text: String) { actions.append(.log(text)) }

    /// Sends a notice to the user.
    mutating func notice(_ text: String) { actions.append(.notice(text)) }

    /// Ends the download with an error; the driver keeps the bytes.
    mutating func fail(_ error: DownloadError) {
        if case .ended = phase { return }
        phase = .ended
        slots.releaseAll(&actions)
        actions.append(.fail(error))
    }
}

// MARK: - Beginning

extension DownloadPlanner {
    private mutating func begin(at point: StartingPoint?) {
        guard let point else { return }
        file.resume(isForeign: point.isForeign)
        guard file.canResume(point, isOfSource: isOfSource(point)) else {
            notice(
                "the earlier download cannot be resumed, because nothing proves that the server's "
                    + "file is unchanged: starting over"
            )
            return
        }
        let anchor = sources.place(of: point)
        file.pin(point.representation, by: anchor)
        if let anchor { sources[anchor].evidence.hasServed = !point.have.isEmpty }
        beginParts(with: point, total: point.representation.total)
    }
}
