internal import struct FoundationEssentials.URL

/// Decides which transfers of a download are open: opens, extends, replaces and closes them, and
/// judges why they ended.
///
/// It collects the actions of the event that is being handled.
struct TransferPlanner: Sendable {
    private(set) var parts = SegmentPlanner()
    /// The representation to which the bytes belong; it changes only by its own methods.
    var file: PinnedFile { didSet { parts.provesSeams = file.needsSeams } }
    /// The evidence of the sources; it changes only by its own methods.
    var sources: SourcePlanner
    /// The highest number of bytes so far; only more than that is progress.
    private var highWater: Int64 = 0
    /// The generator that chooses where the bytes of an earlier run are compared.
    private var random: SplitMix64
    private var nextNumber = 1
    /// The moment of the event that is being handled.
    private(set) var now = Moment.zero
    private var actions: [DownloadAction] = []

    init(_ urls: [URL], _ settings: DownloadSettings, seed: UInt64, window: ReaderWindow?) {
        sources = SourcePlanner(urls, settings, seed: seed)
        file = PinnedFile(settings)
        random = SplitMix64(seed: seed)
        parts.window = window
    }

    /// Begins an event, whose actions `takeActions` returns.
    mutating func begin(at now: Moment) { self.now = now }

    mutating func takeActions() -> [DownloadAction] {
        defer { actions = [] }
        return actions
    }

    mutating func add(_ action: DownloadAction) { actions.append(action) }

    mutating func act(_ addActions: (inout [DownloadAction]) -> Void) { addActions(&actions) }

    mutating func log(_ text: String) { actions.append(.log(text)) }

    /// Sends a notice to the user.
    mutating func notice(_ text: String) { actions.append(.notice(text)) }

    /// Whether the file is received in one stream from offset 0.
    var isSingleStream: Bool { !file.isDivisible || sources.isSingleStream }

    // MARK: - The file

    /// Pins a response of a source; the other sources have to prove their file.
    mutating func pin(_ representation: Representation, by source: Int?) {
        file.pin(representation, by: source)
        sources.forgetProofs(besides: source)
    }

    /// Pins the first response that matches adopted bytes.
    mutating func adopt(_ representation: Representation, by source: Int?) {
        file.adopt(representation, by: source)
        sources.forgetProofs(besides: source)
    }

    mutating func setTotal(_ total: Int64?) {
        guard file.total == nil, let total else { return }
        file.setTotal(total)
        parts.total = total
        updateRepresentation()
    }

    /// Stops trusting the validators.
    mutating func distrustValidators(keeping tag: EntityTag? = nil) {
        file.distrustValidators(keeping: tag)
        updateRepresentation()
    }

    private mutating func updateRepresentation() {
        if let pinned = file.representation { actions.append(.updateRepresentation(pinned)) }
    }

    /// Notes that the reader of the file has read the bytes before `offset`.
    mutating func readerReached(_ offset: Int64) { parts.window?.readerReached(offset) }

    /// Begins to write in parts, or anywhere if `grid` is `nil`; nothing is written meanwhile.
    mutating func setGrid(_ grid: SegmentGrid?) {
        (parts.grid, file.mayCompare) = (grid, grid == nil)
    }

    /// Begins without bytes.
    mutating func begin(total: Int64?) { parts.begin(have: RangeSet(), total: total) }

    /// Begins with the bytes of an earlier run.
    mutating func begin(with point: StartingPoint, total: Int64?) {
        parts.begin(have: point.have, total: total)
        if parts.provesSeams { parts.takeSamples(&random) }
        highWater = point.have.count
    }

    /// Compares bytes from now on instead of validators; all transfers end.
    ///
    /// `tag` is the weak entity tag that the server sends now.
    mutating func compareBytes(keeping tag: EntityTag?) {
        closeAll()
        distrustValidators(keeping: tag)
        parts.takeSamples(&random)
        restrictLedger()
    }

    /// Drops the file, because another one is served now.
    mutating func giveUpFile() {
        file.giveUp()
        highWater = 0
    }

    /// Drops the bytes; all bytes that are received from now on are progress.
    mutating func forgetProgress() { highWater = 0 }

    /// Forgets all bytes, and the file with its proofs unless the next one is known.
    mutating func reset(keepsFile: Bool) {
        parts.reset()
        guard !keepsFile else { return }
        file.giveUp()
        file.forgetPinnedSource()
        parts.total = nil
        sources.forgetFile()
    }

    mutating func restrict(to durable: RangeSet) {
        parts.restrict(to: durable)
        actions.append(.restrictLedger(parts.grid == nil ? durable : parts.have))
    }

    /// Restricts the driver's ledger to the bytes that are kept.
    mutating func restrictLedger() { actions.append(.restrictLedger(parts.kept)) }

    /// Whether nothing can prove the bytes: without a validator, only an open connection shows that
    /// the next bytes are of the same file.
    var isUnprovable: Bool {
        guard let pinned = file.representation, !file.isUpForReplacement else { return false }
        let isVouchedFor = parts.segments.values.contains { $0.isHeadAccepted && !$0.isClosing }
        return !isVouchedFor && !parts.provesSeams && !file.canResume(pinned)
            && !parts.have.isEmpty && !parts.isComplete
    }

    // MARK: - Responses

    /// Notes the head of a response; `connectTime` is `nil` if its connection was reused.
    mutating func answered(_ id: TransferID, connectTime: Duration?) {
        parts.answered(id, connectTime: connectTime, at: now)
        guard let segment = parts.segments[id] else { return }
        sources.learn(about: segment.source) {
            // A server that serves a connection may still leave the request of a new one unanswered.
            if connectTime != nil || !segment.expectsFreeConnection {
                $0.answered(requestAt: segment.openedAt)
            }
            if let connectTime { $0.record.connected(to: segment.host, in: connectTime) }
        }
    }

    /// Notes that the bytes `range` of a response are kept.
    mutating func accepted(_ segment: Segment, _ range: ByteRange) {
        if range.end < segment.responseEnd, segment.responseEnd != .max {
            parts.answeredShort(range.count)
        }
        parts.update(segment.id) {
            $0.isHeadAccepted = true
            if $0.end == .max { $0.end = range.end }
            $0.responseEnd = range.end
        }
    }

    /// Notes a 206 that cannot be used; returns whether the ranges of its source are unusable now.
    @discardableResult
    mutating func gotBrokenRange(_ segment: Segment) -> Bool {
        let newest = TransferID(nextNumber - 1)
        return sources.learn(.brokenRange(in: segment.id, lastOpened: newest), from: segment.source)
    }

    /// Notes a response that indicates another version without proving it; returns whether it has
    /// to be confirmed by another one.
    mutating func needsConfirmation(
        _ seen: Representation,
        _ form: SourceEvidence.UnprovenChange.Form,
        in segment: Segment
    ) -> Bool {
        let newest = TransferID(nextNumber - 1)
        let change = SourceEvidence.UnprovenChange(
            form: form,
            total: seen.total,
            isContradiction: file.representation?.isContradicted(by: seen) == true
        )
        return sources.learn(about: segment.source) {
            $0.needsConfirmation(change, in: segment.id, lastOpened: newest)
        }
    }

    mutating func redirected(_ segment: Segment, by head: ResponseHead, to location: String) {
        let error = sources.redirected(segment, by: head, to: location)
        if let error { giveUp(segment.source, error) }
    }

    /// Notes a 4xx or 5xx.
    mutating func refused(
        _ segment: Segment,
        _ status: Int,
        _ reason: String,
        _ retryAfter: Duration?
    ) {
        if refusedRange(segment, status) { return }
        if sources.renews(segment, after: status) {
            return log("the redirected URL answered \(status): requesting the original URL again")
        }
        let error = DownloadError(
            status: status,
            reason: reason,
            retryAfter: retryAfter,
            host: segment.host
        )
        guard error.retryClass == .later else { return giveUp(segment.source, error) }
        if status == 429 || status == 503 { refusedMore(segment.source) }
        failed(segment, error, .later)
    }

    /// Takes a refusal as evidence about ranges; returns whether a request for the whole file
    /// replaces a retry.
    private mutating func refusedRange(_ segment: Segment, _ status: Int) -> Bool {
        guard segment.isWhole || (!file.isAdopting && file.total != nil) else { return false }
        let refusal = SourceEvidence.Finding.refusal(
            status: status,
            ofWhole: segment.isWhole,
            isReceiving: parts.isReceiving(from: segment.source)
        )
        guard sources.learn(refusal, from: segment.source) else { return false }
        log(
            "\(segment.host) answers ranges with \(status): requesting the whole file, and "
                + "skipping the bytes received so far"
        )
        return SourceEvidence.isFinal(status)
    }

    // MARK: - Ends

    /// Removes an ended transfer; its slot is returned and requested again, because others may have
    /// waited longer without one.
    mutating func finish(_ id: TransferID, offset: Int64) -> Segment? {
        let known = parts.segments[id]?.offset ?? offset
        guard let segment = parts.finish(id, offset: offset) else { return nil }
        sources.received(max(0, segment.offset - known), from: segment.source)
        actions.append(.releaseSlot(host: segment.host))
        sources.learn(about: segment.source) { $0.record.closed(at: now) }
        return segment
    }

    /// Notes how a transfer ended; returns its failure, if it has to be judged.
    mutating func ended(_ segment: Segment, _ outcome: TransferOutcome) -> TransferFailure? {
        let isProgress = noteProgress(of: segment.offset > segment.start ? [segment.source] : [])
        // The transfers that lost a race.
        for other in parts.segments.values
        where parts.have.contains(ByteRange(other.offset, other.end)) && other.end != .max {
            if !other.isComplete { close(other.id) }
        }
        pace(segment, outcome)
        if case .completed = outcome { parts.responseEnded(from: segment.source) }
        switch outcome {
        case .failed(let failure): return segment.isClosing ? nil : failure
        case .completed where !segment.isHeadAccepted: return nil
        case .completed where parts.total == nil:
            // The end of a body without a stated length is the length of the file.
            setTotal(segment.offset)
            return nil
        case .completed where !segment.isComplete && !isProgress:
            return TransferFailure(.bodyIncomplete, "fewer bytes than announced")
        case .completed, .stopped, .cancelled: return nil
        }
    }

    /// Lets a source wait whose responses end early again and again after few bytes.
    private mutating func pace(_ segment: Segment, _ outcome: TransferOutcome) {
        guard segment.endedEarly(outcome, isLengthKnown: parts.total != nil),
            let wait = sources.endedEarly(segment, at: now)
        else { return }
        log("\(segment.host) ends its responses after a few bytes: requesting more in \(wait)")
    }

    /// Gives the remaining bytes of an ended transfer to the one before it, if that saves time.
    mutating func returnRest(of segment: Segment) {
        if let id = parts.returnRest(of: segment) { endMoved(id) }
    }

    mutating func broke(_ segment: Segment, _ failure: TransferFailure) {
        let error = DownloadError(failure, host: segment.host)
        let repetition = ExchangePlanner.repetition(
            after: failure.kind,
            hasResponded: sources[segment.source].hasResponded || segment.isSurplus
        )
        guard let repetition else { return giveUp(segment.source, error) }
        // A server that never responded does not limit the number of connections.
        if repetition != .threeTimes { noteTooMany(segment) }
        failed(segment, error, repetition)
    }

    /// Takes a connection that was cut before it received a byte, even one to be compared, as a
    /// sign of the server's limit.
    mutating func noteTooMany(_ segment: Segment) {
        guard segment.offset == segment.start, segment.skippedBytes == 0 else {
            return sources.learn(about: segment.source) { $0.limit.servedConnectionBroke(at: now) }
        }
        refusedMore(segment.source)
    }

    private mutating func refusedMore(_ source: Int) {
        let serving = parts.connections(to: source).serving
        sources.learn(about: source) { $0.limit.refused(serving: serving, at: now) }
    }

    /// Notes that a connection is closed before it was answered.
    mutating func noteUnanswered(_ segment: Segment) {
        guard parts.isOverdue(segment, at: now), parts.isReceiving(from: segment.source) else {
            return
        }
        sources.learn(about: segment.source) { $0.leftUnanswered(at: now) }
    }

    /// Notes a failure that may be repeated.
    mutating func failed(
        _ segment: Segment,
        _ error: DownloadError,
        _ repetition: ExchangePlanner.Repetition
    ) {
        let isSurplus = parts.isSurplus(segment)
        let step = sources.failed(segment, error, repetition, isSurplus: isSurplus, at: now)
        if case .fail(let error) = step { return giveUp(segment.source, error) }
        if case .sendLater(_, _, let pause) = step {
            actions.append(.backOffHost(segment.host, pause))
        }
        guard !isSurplus, let delay = step?.delay else { return }
        log("\(error.message); trying again \(delay == .zero ? "now" : "in \(delay)")")
    }

    /// Notes a response that is not believed; another one at the same time proves no more.
    ///
    /// `mayBeConfirmed`: whether further responses can prove that the file has changed.
    mutating func gotDoubtful(_ segment: Segment, _ doubt: Doubt, mayBeConfirmed: Bool = false) {
        let error = DownloadError(doubt, host: segment.host, expectedBytes: file.total)
        let confirms = mayBeConfirmed && sources[segment.source].evidence.hasConfirmationsLeft
        failed(segment, error, confirms ? .confirming : .later)
        sources.wait(segment.source, until: now + .seconds(1))
    }

    /// Resets the failures of sources that sent more bytes than ever before.
    ///
    /// Repeated bytes are not progress: a server that always breaks at one offset is given up.
    @discardableResult
    private mutating func noteProgress(of movers: Set<Int>) -> Bool {
        guard parts.arrived.count > highWater else { return false }
        highWater = parts.arrived.count
        for source in movers { sources.progressed(source) }
        return true
    }

    // MARK: - Sources

    /// Stops using a source.
    mutating func giveUp(_ source: Int, _ error: DownloadError) {
        guard sources.giveUp(source, error) else { return }
        log("\(error.message): continuing with the other sources")
    }

    /// Stops using a source, because nothing proves that it has the same file.
    mutating func doubt(_ source: Int, _ reason: String) {
        sources.learn(about: source) { $0.doubt(reason) }
        log("\(sources[source].host) is not used: \(reason)")
        let waiting = parts.segments.values.filter { $0.source == source && !$0.isHeadAccepted }
        for segment in waiting { close(segment.id) }
    }

    // MARK: - Opening

    /// Lets an open whole response continue to its end; returns whether there is one.
    mutating func widenStream() -> Bool {
        guard let stream = parts.segments.values.first(where: { $0.isWhole && !$0.isClosing })
        else { return false }
        if stream.end < stream.responseEnd, !stream.isComplete, parts.isFree(behind: stream) {
            if !parts.mayOverlap {
                for rival in parts.rivals(behind: stream) { withdraw(rival) }
            }
            parts.update(stream.id) { ($0.end, $0.isEndOpen) = ($0.responseEnd, false) }
            actions.append(.setEnd(stream.id, stream.responseEnd))
        }
        return true
    }

    /// Returns the bytes for a new connection; `nil` if there are none.
    func assignment(for opening: SegmentPlanner.Opening) -> SegmentPlanner.Assignment? {
        guard isSingleStream else {
            var opening = opening
            opening.isSilent = isSilent(opening.source)
            return parts.assign(for: opening, at: now)
        }
        let frontier = parts.have.frontier
        // Without a length, a strong validator still allows a request for the rest.
        if frontier > 0, file.isContinuable, sources[opening.source].evidence.ranges != .unusable {
            return SegmentPlanner.Assignment(range: ByteRange(frontier, .max))
        }
        return SegmentPlanner.Assignment(range: ByteRange(0, file.requestedEnd))
    }

    /// Returns the range to request: the bytes of an assignment, and those that are compared before
    /// and after them; `nil` for the whole file.
    private func request(for assignment: SegmentPlanner.Assignment) -> ByteRange? {
        if isSingleStream { return assignment.range.start > 0 ? assignment.range : nil }
        guard parts.provesSeams, let total = parts.total else { return assignment.range }
        return ByteRange(
            assignment.range.start - assignment.leadBytes,
            min(total, assignment.range.end + Seam.tailBytes)
        )
    }

    mutating func open(_ assignment: SegmentPlanner.Assignment, from index: Int) {
        defer { nextNumber += 1 }
        let source = sources.use(index)
        var planned = PlannedTransfer(
            id: TransferID(nextNumber),
            url: source.exchange.request.url,
            range: request(for: assignment),
            pinned: nil,
            start: assignment.range.start,
            end: assignment.range.end
        )
        planned.take(source.exchange.request, of: index)
        file.expect(&planned, of: index, in: sources)
        if let donor = assignment.donor { giveUp(from: planned.start, of: donor) }
        if parts.provesSeams, !isSingleStream {
            planned.comparesBytes = true
            planned.isEndProven = !assignment.isEndOpen && assignment.range.end != parts.total
            if assignment.isEndOpen { planned.end = assignment.range.end - 1 }
        }
        var segment = Segment(
            planned: planned,
            host: source.host,
            attempt: source.exchange.attempt,
            openedAt: now,
            attention: sources.indices.count > 1 ? .milliseconds(700) : .seconds(2)
        )
        (segment.end, segment.isEndOpen) = (assignment.range.end, assignment.isEndOpen)
        if let rival = assignment.rival {
            segment.rival = rival
            parts.update(rival) { $0.rival = planned.id }
        }
        parts.add(segment)
        sources.learn(about: index) { $0.record.opened(at: now) }
        actions.append(.open(planned))
    }

    // MARK: - Moving the end, closing

    /// Resumes a held whole response.
    mutating func resume(_ id: TransferID, skipUntil: Int64) {
        let end = parts.total ?? .max
        parts.update(id) {
            $0.isHeadAccepted = true
            // The server is not to blame for the time that opening the store took.
            $0.lastProgressAt = now
            ($0.start, $0.offset) = (skipUntil, skipUntil)
            ($0.end, $0.isEndOpen, $0.responseEnd) = (end, false, end)
        }
        actions.append(.setEnd(id, end))
        let compares = parts.provesSeams
        actions.append(.resumeTransfer(id, skipUntil: skipUntil, comparing: compares))
    }

    /// Resumes a held whole response, which is compared with all bytes received so far; returns
    /// `false` if the other transfers must end first.
    mutating func resumeAlone(_ id: TransferID) -> Bool {
        guard let source = parts.segments[id]?.source else { return true }
        let others = parts.segments.values.filter { $0.id != id }
        if parts.mayOverlap || others.isEmpty {
            resume(id, skipUntil: prepareSkipping())
            return true
        }
        // Another source may serve ranges.
        guard others.contains(where: { $0.source != source && !$0.isClosing }) else { return false }
        close(id)
        return true
    }

    /// Prepares for reading a whole response from offset 0: it is compared with the bytes received
    /// so far, and contains the rest; returns the offset of the rest.
    private mutating func prepareSkipping() -> Int64 {
        guard parts.provesSeams else { return parts.have.frontier }
        parts.endSampling()
        let frontier = parts.have.frontier
        parts.restrict(to: RangeSet(ByteRange(0, frontier)))
        actions.append(.restrictLedger(parts.have))
        return frontier
    }

    mutating func close(_ id: TransferID) {
        guard let segment = parts.segments[id], !segment.isClosing else { return }
        parts.update(id) { $0.isClosing = true }
        actions.append(.close(id))
    }

    mutating func closeAll(but held: TransferID? = nil) {
        for segment in parts.segments.values where segment.id != held { close(segment.id) }
    }

    /// Withdraws all bytes from a transfer without a response: it writes none, even if its response
    /// is on its way.
    private mutating func withdraw(_ segment: Segment) {
        noteUnanswered(segment)
        parts.update(segment.id) { ($0.end, $0.isEndOpen) = ($0.start, false) }
        actions.append(.setEnd(segment.id, segment.start))
        close(segment.id)
    }

    private mutating func giveUp(from start: Int64, of donor: TransferID) {
        guard let segment = parts.segments[donor] else { return }
        guard segment.start < start else { return withdraw(segment) }
        moveEnd(of: donor, to: start, isOpen: parts.provesSeams)
    }

    /// Lets connections continue into bytes that no other connection receives: the server may allow
    /// no more connections.
    mutating func extendEnds() {
        for segment in parts.endingSoon() {
            let unserved = parts.servableBytes(behind: segment, at: now, isSilent: isSilent)
            guard let (last, unanswered) = unserved else { continue }
            if let unanswered { withdraw(unanswered) }
            moveEnd(of: segment.id, to: last, isOpen: parts.provesSeams && last != parts.total)
        }
    }

    /// The first moment at which `extendEnds` may be needed.
    var continuesAt: Moment { parts.continuesAt(isSilent: isSilent) ?? .distantFuture }

    private func isSilent(_ source: Int) -> Bool { sources[source].evidence.leavesUnanswered }

    private mutating func moveEnd(of id: TransferID, to end: Int64, isOpen: Bool) {
        parts.update(id) { ($0.end, $0.isEndOpen) = (end, isOpen) }
        endMoved(id)
    }

    private mutating func endMoved(_ id: TransferID) {
        guard let segment = parts.segments[id] else { return }
        actions.append(.setEnd(id, segment.writableEnd))
    }

    /// Lets segments continue into the bytes of their neighbours, which are present now, to compare
    /// them.
    mutating func proveEnds() {
        for id in parts.closeOpenEnds() {
            guard let segment = parts.segments[id] else { continue }
            actions.append(.setEnd(id, segment.end, isProven: true))
        }
    }

    // MARK: - Ticks

    /// Notes the progress of the transfers; while suspended, none of them becomes slow or silent.
    mutating func observe(_ samples: [TransferSample], isSuspended: Bool) {
        var moved: Set<Int> = []
        for sample in samples {
            guard let before = parts.segments[sample.id] else { continue }
            parts.update(sample.id) {
                guard $0.observe(sample, at: now, isSuspended: isSuspended) else { return }
                moved.insert($0.source)
                sources.received($0.offset - before.offset, from: $0.source)
            }
            parts.noteFirstByte(of: sample.id, at: now, hasOtherSources: sources.indices.count > 1)
        }
        noteProgress(of: moved)
        if isSuspended {
            sources.skip(to: now)
        } else {
            for source in Set(parts.segments.values.map(\.source)) {
                sources.learn(about: source) { $0.record.pass(now) }
            }
        }
    }

    /// Begins another measurement of a connection against the minimum speed.
    mutating func beginWindow(of id: TransferID) {
        parts.update(id) { $0.window = (now, $0.offset) }
    }

    /// Closes a connection that is much slower than the others, or than the estimate of another
    /// source; returns whether there is one.
    mutating func closeSlow(_ estimates: [SourceEstimate]) -> Bool {
        let slow = parts.slowConnection(at: now) { segment in
            estimates.lazy.filter { $0.source != segment.source }.map(\.bytesPerSecond).max()
        }
        guard let slow, let segment = parts.segments[slow] else { return false }
        log("connection \(slow) is much slower than the others: replacing it")
        close(slow)
        sources.wasReplaced(segment, at: now)
        return true
    }
}
