/// The handling of answers' heads.
extension DownloadPlanner {
    mutating func judged(_ id: TransferID, _ verdict: HeadVerdict) {
        parts.update(id) { $0.headAt = now }
        guard let segment = parts.segments[id] else { return }
        // The first bytes of the file are kept even if their connection has been given up.
        guard !segment.isClosing || (file.representation == nil && verdict.isPin) else { return }
        switch verdict {
        case .pin(let representation, let acceptsRanges):
            sources[segment.source].exchange.succeeded(from: segment.url)
            gotFirst(segment, representation, acceptsRanges: acceptsRanges)
            phase = .openingStore(id, representation)
            actions.append(.openStore(id, representation))
        case .write(let range, let representation):
            accept(segment, range, representation)
        case .whole(let representation, _): gotWhole(segment, representation)
        case .unproven(let reason): doubt(segment.source, reason)
        case .changed(let representation, let onlyEntityTag):
            sources[segment.source].exchange.succeeded(from: segment.url)
            changed(segment, representation, onlyEntityTag: onlyEntityTag)
        case .rangeNotSatisfiable(let total): notSatisfiable(segment, total)
        case .redirect(let location): redirected(segment, location)
        case .brokenRange(let reason):
            log(reason)
            if learn(.brokenRange(in: id, lastOpened: lastID), from: segment) {
                log("the server's ranges are broken: using one connection from now on")
            }
        case .malformed(let reason):
            let advice = "try again later, or try another URL for the file"
            let error = DownloadError(.badResponse, reason, advice: advice)
            giveUp(segment.source, error)
        case .captivePortal: gotErrorPage(segment, .webPage)
        case .unprovenWhole(let missing):
            gotErrorPage(segment, .missing(missing))
        case .lostEntityTag(let representation, let range):
            lostEntityTag(segment, representation, range)
        case .status(let status, let reason, let retryAfter):
            refused(segment, status, reason, retryAfter)
        }
    }

    /// Takes in what an answer shows about its source; returns whether it made the ranges unusable.
    @discardableResult
    mutating func learn(_ answer: SourceEvidence.Answer, from segment: Segment) -> Bool {
        sources[segment.source].evidence.learn(from: answer)
    }

    private mutating func gotFirst(
        _ segment: Segment,
        _ representation: Representation,
        acceptsRanges: Bool
    ) {
        learn(.whole(representation, acceptsRanges: acceptsRanges), from: segment)
        if let coding = representation.contentEncoding {
            log(
                "the server encoded the file (\(coding)) although that was not requested: the file "
                    + "is kept as received, and the download cannot be resumed"
            )
        }
    }

    private mutating func accept(
        _ segment: Segment,
        _ range: ByteRange,
        _ representation: Representation
    ) {
        sources[segment.source].exchange.succeeded(from: segment.url)
        let place = segment.source
        learn(.range, from: segment)
        if file.isUnproven(place, known: sources[place].evidence.known) {
            sources[place].evidence.prove(representation)
        }
        if range.end < segment.responseEnd, segment.responseEnd != .max {
            parts.answeredShort(range.count)
        }
        parts.update(segment.id) {
            $0.isHeadAccepted = true
            if $0.end == .max { $0.end = range.end }
            $0.responseEnd = range.end
        }
        if file.isAdopting { adopt(representation, by: place) }
        setTotal(representation.total)
    }

    mutating func setTotal(_ total: Int64?) {
        guard file.total == nil, let total else { return }
        file.setTotal(total)
        parts.total = total
        updateRepresentation()
    }

    private mutating func adopt(_ representation: Representation, by place: Int?) {
        file.adopt(representation, by: place)
        sources.forgetProofs(besides: place)
    }

    /// Pins the first answer of a source; the other sources have to prove their file.
    mutating func pin(_ representation: Representation, by place: Int?) {
        file.pin(representation, by: place)
        sources.forgetProofs(besides: place)
    }

    private mutating func updateRepresentation() {
        if let pinned = file.representation { actions.append(.updateRepresentation(pinned)) }
    }

    /// Takes in a 200 while a representation is pinned; the response is held.
    private mutating func gotWhole(_ segment: Segment, _ representation: Representation) {
        guard isProven(representation, of: segment.source) else { return close(segment.id) }
        if isOtherLengthUnproven(representation, of: segment.source) {
            close(segment.id)
            return gotErrorPage(segment, .otherLength(representation.total))
        }
        sources[segment.source].exchange.succeeded(from: segment.url)
        if !segment.isWhole {
            learn(.wholeInsteadOfRange, from: segment)
            log("the server answers ranges with the whole file: using one connection from now on")
        }
        let others = parts.segments.values.contains { $0.id != segment.id && $0.isHeadAccepted }
        guard !others else { return close(segment.id) }
        guard let known = file.representation,
            file.isOther(segment.source)
                || file.mayJoin(representation, to: known, have: parts.have)
        else { return startOver(with: segment, representation) }
        if file.isAdopting { adopt(representation, by: segment.source) }
        setTotal(known.total ?? representation.total)
        if parts.isComplete { return close(segment.id) }
        goOnAlone(with: segment.id)
    }

    /// Returns whether a whole answer comes from a source that has proven its file, or proves it.
    private mutating func isProven(_ seen: Representation, of place: Int) -> Bool {
        let known = sources[place].evidence.known
        if let reason = file.difference(to: seen, of: place, known: known) {
            doubt(place, reason)
            return false
        }
        if file.isOther(place), known?.isProvenSame(seen) != true {
            sources[place].evidence.prove(seen)
        }
        return true
    }

    /// Resumes a held whole response.
    mutating func goOn(with id: TransferID, skipUntil: Int64) {
        let end = parts.total ?? .max
        parts.update(id) {
            $0.isHeadAccepted = true
            // The server is not to blame for the time that opening the store took.
            $0.lastProgressAt = now
            $0.start = skipUntil
            $0.offset = skipUntil
            $0.end = end
            $0.isEndOpen = false
            $0.responseEnd = end
        }
        actions.append(.setEnd(id, end))
        let compares = parts.provesSeams
        actions.append(.resumeTransfer(id, skipUntil: skipUntil, comparing: compares))
    }

    private mutating func redirected(_ segment: Segment, _ location: String) {
        let place = segment.source
        guard sources[place].exchange.isCurrent(segment.attempt, segment.url),
            case .fail(let error) = sources[place].exchange.redirected(to: location)
        else { return }
        giveUp(place, error)
    }

    private mutating func notSatisfiable(_ segment: Segment, _ total: Int64?) {
        guard !segment.isWhole else {
            let error = DownloadError(
                .badResponse,
                "\(segment.host) answered 416 although no range was requested",
                advice: "try another URL for the file"
            )
            return giveUp(segment.source, error)
        }
        if parts.isReceiving(from: segment.source) {
            // The server serves ranges to other connections: this one exceeded its limit.
            noteTooMany(segment)
            let error = DownloadError(
                .badResponse,
                "\(segment.host) answered 416 to a request for a part of the file"
            )
            return failed(segment, error, .later)
        }
        guard !file.isOther(segment.source) else {
            return doubt(segment.source, "it does not have the requested range")
        }
        guard let total else {
            // One request without a range will show which file it is.
            learn(.rangeNotSatisfiable(total: nil), from: segment)
            return
        }
        let isAllThere = parts.have == RangeSet(ByteRange(0, total))
        guard isAllThere, file.total ?? total == total else {
            var other = Representation(total: total)
            other.mediaType = file.representation?.mediaType
            if file.isAdopting { return refuseAdoption(parts.have.count, other) }
            // A 416 has no validator: a whole answer will show whether the file is another one.
            learn(.rangeNotSatisfiable(total: total), from: segment)
            return
        }
        setTotal(total)
    }

    // MARK: - Other versions

    private mutating func changed(
        _ segment: Segment,
        _ representation: Representation,
        onlyEntityTag: Bool
    ) {
        if file.isAdopting { return refuseAdoption(parts.have.count, representation) }
        guard segment.source == file.anchor else { return mirrorChanged(segment.source) }
        if isOtherLengthUnproven(representation, of: segment.source) {
            return gotErrorPage(segment, .otherLength(representation.total))
        }
        changes += 1
        if onlyEntityTag, isOneStreamsWork || changes > 1 {
            // The tag differs from answer to answer: no two answers may be joined.
            learn(.inconsistent, from: segment)
            log("the server's ETag differs from response to response: using one connection only")
            if isOneStreamsWork { return distrustValidators() }
        } else if changes > 1 {
            guard leaveChanging(segment.source) else { return }
        }
        if !onlyEntityTag || changes <= 1 {
            notice("the file changed on the server: starting over")
        }
        startOver()
    }

    /// Drops all bytes, because the file is another one.
    mutating func startOver() {
        file.giveUp()
        highWater = 0
        drain(.startOver(held: nil, nil), keeping: nil)
    }

    /// Fails, because the adopted bytes, which Pawl must not delete, are not of the server's file.
    private mutating func refuseAdoption(_ count: Int64, _ representation: Representation) {
        let size = representation.total.map { "\($0)" } ?? "an unknown number of"
        fail(
            DownloadError(
                .checksumMismatch,
                "the partial file to adopt has \(count) bytes and does not match the server's "
                    + "file, which has \(size) bytes",
                advice: "omit --adopt, or rename the partial file"
            )
        )
    }

    /// Stops using a source whose file keeps changing; returns whether another one can take over.
    mutating func leaveChanging(_ place: Int) -> Bool {
        // A source that was doubted may have the present version.
        guard sources.hasUnfailed(besides: place) else {
            fail(Self.keepsChanging)
            return false
        }
        giveUp(place, Self.keepsChanging)
        changes = 0
        return true
    }

    private static let keepsChanging = DownloadError(
        .keepsChanging,
        "the file on the server changed again during the download",
        advice: "try again when the file is no longer being written"
    )

    /// Whether one whole response, which has not ended, contained all bytes.
    private var isOneStreamsWork: Bool {
        guard let stream = parts.segments.values.first(where: { $0.isWhole && $0.isHeadAccepted })
        else { return false }
        return parts.have.isEmpty
            && parts.segments.values.allSatisfy {
                $0.id == stream.id || $0.offset == $0.start
            }
    }

    /// Stops trusting the date as well, because it stayed the same while the tag changed.
    mutating func distrustValidators() {
        file.distrustValidators()
        updateRepresentation()
    }

    /// Takes the held response as the first one of a new representation.
    private mutating func startOver(with segment: Segment, _ representation: Representation) {
        if file.isAdopting { return refuseAdoption(parts.have.count, representation) }
        if !parts.have.isEmpty {
            let isChange =
                file.representation?.compare(representation) == .changed(onlyEntityTag: false)
            if isChange {
                learn(.newVersion, from: segment)
                changes += 1
                highWater = 0
                if changes > 1 {
                    guard leaveChanging(segment.source) else { return }
                    return startOver()
                }
            }
            // Without proof this can happen repeatedly. The failures that lead here are counted
            // until there are more bytes than ever before.
            log(
                isChange
                    ? "the file changed on the server: starting over"
                    : "nothing proves that the server's file is unchanged: starting over"
            )
        }
        let acceptsRanges = sources[segment.source].evidence.ranges != .unusable
        gotFirst(segment, representation, acceptsRanges: acceptsRanges)
        drain(.startOver(held: segment.id, representation), keeping: segment.id)
    }

    mutating func storeOpened(_ id: TransferID, _ point: StartingPoint?) {
        guard case .openingStore(id, let representation) = phase else { return }
        phase = .running
        pin(representation, by: parts.segments[id]?.source)
        parts.total = representation.total
        parts.begin(have: RangeSet(), total: representation.total)
        guard let point, !point.have.isEmpty else { return goOn(with: id, skipUntil: 0) }
        file.resume(isForeign: point.isForeign)
        let isOfSource = isOfSource(point)
        let isSameSource = parts.segments[id]?.source == sources.place(of: point)
        if !point.isForeign, isSameSource,
            let doubt = file.doubt(about: representation, insteadOf: point, isOfSource: isOfSource)
        {
            return refuseBeginning(with: id, representation, point, doubt)
        }
        let mayJoin = file.mayJoin(
            representation,
            to: point,
            isOfSource: isOfSource,
            isSameSource: isSameSource
        )
        guard mayJoin else {
            if file.isAdopting { return refuseAdoption(point.have.count, representation) }
            log("the server's file is not the file of the earlier run: starting over")
            return drain(.startOver(held: id, representation), keeping: id)
        }
        if file.isAdopting {
            adopt(representation, by: file.anchor)
            setTotal(representation.total)
        }
        beginParts(with: point, total: representation.total)
        if parts.isComplete || !isSingleStream { return close(id) }
        goOnAlone(with: id)
    }

    mutating func storeReset(_ id: TransferID?) {
        guard case .resetting(id, let representation) = phase else { return }
        phase = .running
        pin(representation, by: id.flatMap { parts.segments[$0]?.source })
        parts.begin(have: RangeSet(), total: representation.total)
        if let id { goOn(with: id, skipUntil: 0) }
    }

    // MARK: - Error pages

    /// Refuses a 200 that is not a version of the file, like a 503.
    private mutating func gotErrorPage(_ segment: Segment, _ doubt: WholeDoubt) {
        let error = DownloadError(doubt, host: segment.host, expectedBytes: file.total)
        failed(segment, error, .later)
        guard case .otherLength = doubt, let moment = sources[segment.source].retryAt else {
            return
        }
        // A second answer at the same moment would prove no more than the first.
        sources[segment.source].retryAt = max(moment, now + .seconds(1))
    }

    /// Returns whether to refuse an answer of another length.
    ///
    /// If bytes would be lost, only a second answer of the same length is believed without a
    /// validator.
    private mutating func isOtherLengthUnproven(_ seen: Representation, of place: Int) -> Bool {
        guard !parts.arrived.isEmpty, file.differsOnlyInLength(from: seen, of: place) else {
            sources[place].evidence.lengthIsAsExpected()
            return false
        }
        return sources[place].evidence.needsConfirmation(ofLength: seen.total)
    }

    /// Takes in that the server has stopped sending its tag.
    ///
    /// If no connection receives bytes, answers are joined as without validators: only where their
    /// bytes were compared (``Seam``).
    private mutating func lostEntityTag(
        _ segment: Segment,
        _ seen: Representation,
        _ range: ByteRange?
    ) {
        let place = segment.source
        guard place == file.anchor, !file.isAdopting, settings.allowsWeakResume,
            !parts.isReceiving(from: place)
        else {
            guard let range else { return gotErrorPage(segment, .missing("ETag")) }
            learn(.brokenRange(in: segment.id, lastOpened: lastID), from: segment)
            return log("the server sent bytes \(range) without the ETag that it sent before")
        }
        log("the server no longer sends the file's ETag: comparing bytes instead")
        for id in parts.segments.keys.sorted() { close(id) }
        distrustValidators()
        parts.takeSamples(&random)
        actions.append(.restrictLedger(parts.kept))
    }

    /// Keeps the bytes of an earlier run, although their source has answered with an error page.
    private mutating func refuseBeginning(
        with id: TransferID,
        _ seen: Representation,
        _ point: StartingPoint,
        _ doubt: WholeDoubt
    ) {
        guard let segment = parts.segments[id] else { return }
        pin(point.representation, by: segment.source)
        beginParts(with: point, total: point.representation.total)
        if case .otherLength(let total) = doubt {
            sources[segment.source].evidence.needsConfirmation(ofLength: total)
        }
        close(id)
        if case .missing = doubt, point.representation.hasLostOnlyEntityTag(in: seen) {
            return lostEntityTag(segment, seen, nil)
        }
        gotErrorPage(segment, doubt)
    }
}
