package import struct FoundationEssentials.URL

/// Makes the decisions of one download: takes events and returns actions.
///
/// It reads no clock and does no I/O. It decides in which phase the download is; `ResponsePlanner`
/// judges the responses, `TransferPlanner` the transfers and their failures, and
/// `ConnectionPlanner` decides how many connections to use.
package struct DownloadPlanner: Sendable {
    private var phase = Phase.running
    private var responses: ResponsePlanner
    private var connections: ConnectionPlanner
    private var transfers: TransferPlanner
    private var repair: RepairPlanner
    /// Whether the store still has a complete file with a wrong digest.
    private var hasWrongFile = false

    private enum Phase {
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

    private enum Draining {
        /// Starts over, with a held response if there is one.
        case startOver(held: TransferID?, Representation?)
        /// Resumes the held response, which is compared with all bytes received so far.
        case skip(held: TransferID)
        /// Keeps only the bytes that a sync proved.
        case restrict(RangeSet)
        case complete(Int64)
    }

    /// Creates a planner.
    ///
    /// `window`: how far ahead of its reader the file is fetched; `nil` if nobody reads it before
    /// it is complete.
    package init(
        url: URL,
        mirrors: [URL] = [],
        settings: DownloadSettings,
        seed: UInt64,
        window: ReaderWindow? = nil
    ) {
        responses = ResponsePlanner(settings)
        repair = RepairPlanner(mayDropBytes: !settings.adoptsPartialFile)
        connections = ConnectionPlanner(settings, seed: seed)
        transfers = TransferPlanner([url] + mirrors, settings, seed: seed, window: window)
    }

    package mutating func handle(_ event: DownloadEvent, at now: Moment) -> [DownloadAction] {
        transfers.begin(at: now)
        if case .ended = phase {
            handleLate(event)
        } else {
            take(event)
            proceed()
        }
        return transfers.takeActions()
    }

    private mutating func take(_ event: DownloadEvent) {
        switch event {
        case .started(let point, let former, let grid):
            transfers.setGrid(grid)
            if let former { transfers.file.begin(after: former) }
            if let point { responses.begin(at: point, &transfers) }
        case .slotGranted(let host): connections.slotGranted(host)
        case .headJudged(let id, let verdict, let connectTime, let known, let isSurplus):
            connections.wasAnswered()
            transfers.answered(id, connectTime: connectTime)
            if let known, known.fits(connectTime: connectTime) {
                connections.remember(known, of: id, &transfers)
            }
            carryOut(responses.judged(id, verdict, isSurplus: isSurplus, &transfers))
        case .mirrorsNamed(let urls): transfers.sources.addNamed(urls)
        case .responseDropped(let id): transfers.close(id)
        case .storeOpened(let id, let point, let grid):
            guard case .openingStore(id, let representation) = phase else { return }
            phase = .running
            transfers.setGrid(grid)
            hasWrongFile = false
            carryOut(responses.storeOpened(id, representation, point, &transfers))
        case .storeReset(let id, let grid):
            guard case .resetting(id, let representation) = phase else { return }
            phase = .running
            transfers.setGrid(grid)
            hasWrongFile = false
            transfers.pin(representation, by: id.flatMap { transfers.parts.segments[$0]?.source })
            transfers.begin(total: representation.total)
            if let id { transfers.resume(id, skipUntil: 0) }
        case .transferEnded(let id, let offset, let outcome, let isSurplus):
            ended(id, offset, outcome, isSurplus: isSurplus)
        case .ticked(let samples, let work, let isSuspended):
            connections.setSuspended(isSuspended, at: transfers.now)
            connections.notePauses(samples)
            transfers.observe(samples, isSuspended: isSuspended)
            if isRunning, !isSuspended { connections.tick(&transfers, work) }
        case .readerReached(let offset): transfers.readerReached(offset)
        case .networkChanged(let path):
            connections.networkChanged(path, &transfers)
            if isRunning { connections.watchNetwork(&transfers) }
        case .seamDiffered(let id): seamDiffered(id)
        case .syncFailed(let durable):
            // The bytes are being dropped in any case.
            if case .draining(.startOver) = phase { return }
            drain(.restrict(durable))
        case .digestFound(let digest, let urls):
            if let known = transfers.file.foundDigest(digest) {
                transfers.add(.updateRepresentation(known))
            }
            transfers.sources.addNamed(urls)
        case .digestDiffered(let pieces, let expected):
            transfers.file.noteDigest(expected, from: transfers.file.pinnedSource)
            digestDiffered(pieces)
        case .abandoned: end()
        }
    }

    /// Handles an event after the end of the download: only slots are returned.
    private mutating func handleLate(_ event: DownloadEvent) {
        switch event {
        case .slotGranted(let host): transfers.add(.releaseSlot(host: host))
        case .transferEnded(let id, let offset, _, _): _ = transfers.finish(id, offset: offset)
        default: break
        }
    }

    // MARK: - State

    /// Returns the moment of the next tick; `nil` if only an event can change anything.
    package func wakeAt(_ now: Moment) -> Moment? {
        if case .ended = phase { return nil }
        return connections.wakeAt(transfers, now)
    }

    /// Whether the download waits before it tries again.
    package var isWaitingToRetry: Bool {
        transfers.parts.segments.isEmpty && transfers.sources.isAnyUsable
            && transfers.sources.ready.isEmpty
    }

    /// Whether the download waits for a network that it may use, or checks whether one has
    /// returned.
    package var isWaitingForConnectivity: Bool {
        isRunning && connections.isWaitingForNetwork(transfers)
    }

    /// The bytes received so far, including those of open transfers.
    package var arrived: RangeSet { transfers.parts.arrived }

    /// The pinned representation.
    package var representation: Representation? { transfers.file.representation }

    /// Whether all bytes are another tool's, and no response has matched them yet.
    package var isAdopting: Bool { transfers.file.isAdopting }

    /// Whether a source serves ranges; `nil` if that is not known yet.
    package var acceptsRanges: Bool? { transfers.sources.acceptsRanges }

    /// What the download has learned of its host; `nil` if nothing that later downloads could use,
    /// or if it has several sources.
    package var lesson: HostRecord? { connections.lesson(transfers) }

    /// Returns whether bytes of an earlier run may be joined with new ones.
    package func canResume(_ known: Representation) -> Bool { transfers.file.canResume(known) }

    /// Returns the URLs for the checkpoint without their secrets, first the one whose response is
    /// pinned.
    package func sourceText(pinnedBy id: TransferID?) -> String {
        let pinned = id.flatMap { transfers.parts.segments[$0]?.source }
        return transfers.sources.text(first: pinned ?? transfers.file.pinnedSource ?? 0)
    }

    private var isRunning: Bool { if case .running = phase { true } else { false } }

    // MARK: - Events

    private mutating func ended(
        _ id: TransferID,
        _ offset: Int64,
        _ outcome: TransferOutcome,
        isSurplus: Bool
    ) {
        guard var segment = transfers.finish(id, offset: offset) else { return }
        segment.isSurplus = isSurplus
        if segment.isHeadAccepted, segment.start < segment.offset {
            repair.received(ByteRange(segment.start, segment.offset), from: segment.source)
        }
        if case .openingStore(id, _) = phase { phase = .running }
        if isRunning, transfers.parts.provesSeams { transfers.restrictLedger() }
        let failure = transfers.ended(segment, outcome)
        if case .cancelled = outcome, !segment.isClosing {
            // The planner did not close it: the transport was shut down.
            let advice = DownloadError.resumeAdvice
            return fail(DownloadError(.interrupted, "the downloader was shut down", advice: advice))
        }
        if let failure, !connections.excuses(failure, of: segment, &transfers) {
            transfers.broke(segment, failure)
        }
        transfers.returnRest(of: segment)
        guard isRunning, transfers.isUnprovable, transfers.sources.maySendAgain else { return }
        transfers.startingOver(
            .unproven,
            "the connection broke, and nothing proves that the server's file is unchanged"
        )
        transfers.file.giveUp()
        drain(.startOver(held: nil, nil))
    }

    private mutating func seamDiffered(_ id: TransferID) {
        guard let segment = transfers.parts.segments[id] else { return }
        switch phase {
        case .running, .draining(.complete), .draining(.restrict), .draining(.skip):
            carryOut(responses.seamDiffered(segment.source, &transfers))
        default: break
        }
    }

    private mutating func digestDiffered(_ pieces: [ByteRange]) {
        guard case .finishing = phase, let total = transfers.parts.total else { return }
        let usable = transfers.sources.indices.filter { transfers.sources[$0].failure == nil }
        let step = repair.differed(wrong: pieces, total: total, usable: usable)
        switch step {
        case .fetchAgain(let senders):
            transfers.sentWrongBytes(senders)
            var kept = RangeSet(ByteRange(0, total))
            for piece in pieces { kept.remove(piece) }
            transfers.notice(
                "\(pieces.count) of the file's pieces arrived damaged: fetching "
                    + "\(total - kept.count) bytes again"
            )
            drain(.restrict(kept))
        case .startOver(let senders):
            transfers.sentWrongBytes(senders)
            fetchFromOthers("it came from a source that has a different file")
        case .startOverFrom(let source):
            transfers.sources.tryAlone(source)
            fetchFromOthers("one of the sources has a different file")
        case .fail: failDigest()
        }
    }

    private mutating func failDigest() {
        end()
        transfers.add(.failDigest)
    }

    private mutating func fetchFromOthers(_ reason: String) {
        transfers.startingOver(.digestDiffers, "the file has a wrong checksum (\(reason))")
        hasWrongFile = true
        startOver()
    }

    private mutating func carryOut(_ step: ResponsePlanner.Step?) {
        switch step {
        case .openStore(let id, let representation):
            phase = .openingStore(id, representation)
            transfers.add(.openStore(id, representation))
        case .resumeAlone(let id): resumeAlone(id)
        case .startOver: startOver()
        case .startOverWith(let id, let representation):
            drain(.startOver(held: id, representation), keeping: id)
        case .fail(let error): fail(error)
        case nil: break
        }
    }

    // MARK: - Phases

    /// Takes the actions that the present state requires, after any event.
    private mutating func proceed() {
        connections.watchLimits(&transfers)
        switch phase {
        case .ended, .finishing, .openingStore, .resetting: break
        case .draining(let why):
            finishDraining(why)
            if isRunning { proceed() }
        case .running:
            if transfers.parts.isComplete, let total = transfers.parts.total {
                // A size that was known before was compared with the first response.
                if responses.refusesSize(total, &transfers) {
                    startOver()
                    return proceed()
                }
                drain(.complete(total))
                return proceed()
            }
            transfers.proveEnds()
            if !connections.open(&transfers) { runOut() }
        }
    }

    /// Ends the download, because no source is left, or continues with the sources that were only
    /// doubted: they may have another version of the file, which replaces the bytes received so far.
    private mutating func runOut() {
        if transfers.sources.takeBack(), transfers.sources.isAnyUsable { return proceed() }
        guard transfers.sources.hasUnfailed(), !transfers.file.isAdopting else {
            let error = transfers.sources.lastError
            // Unless a source may deliver the file later, the wrong one is the result.
            let isHopeless = error.retryClass != .later && error.retryClass != .now
            return hasWrongFile && isHopeless ? failDigest() : fail(error)
        }
        transfers.sources.forgetProofs()
        if transfers.parts.have.isEmpty {
            startOver()
        } else {
            transfers.file.replace()
        }
        proceed()
    }

    private mutating func startOver() {
        transfers.giveUpFile()
        drain(.startOver(held: nil, nil))
    }

    /// Resumes a held whole response as soon as no other transfer writes.
    private mutating func resumeAlone(_ id: TransferID) {
        if !transfers.resumeAlone(id) { drain(.skip(held: id), keeping: id) }
    }

    /// Ends all transfers but one; when they have ended, `finishDraining` continues.
    private mutating func drain(_ why: Draining, keeping held: TransferID? = nil) {
        phase = .draining(why)
        if case .startOver = why { transfers.announceRestart() }
        transfers.closeAll(but: held)
    }

    private mutating func finishDraining(_ why: Draining) {
        let open = transfers.parts.segments.keys
        switch why {
        case .complete(let total):
            guard open.isEmpty else { return }
            phase = .finishing
            connections.releaseSlots(&transfers)
            transfers.add(.complete(total: total))
        case .skip(let held):
            guard open.allSatisfy({ $0 == held }) else { return }
            phase = .running
            resumeAlone(held)
        case .restrict(let durable):
            guard open.isEmpty else { return }
            transfers.restrict(to: durable)
            phase = .running
        case .startOver(let held, let representation):
            guard open.allSatisfy({ $0 == held }) else { return }
            transfers.reset(keepsFile: representation != nil)
            repair.startedOver()
            guard let representation else { return phase = .running }
            phase = .resetting(held, representation)
            transfers.add(.resetStore(held, representation))
        }
    }

    /// Ends the download with an error; the driver keeps the bytes.
    private mutating func fail(_ error: DownloadError) {
        if case .ended = phase { return }
        end()
        transfers.add(.fail(error))
    }

    private mutating func end() {
        phase = .ended
        connections.releaseSlots(&transfers)
    }
}
