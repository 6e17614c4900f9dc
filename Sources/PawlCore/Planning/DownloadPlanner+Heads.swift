/// What a judged head means for the download.
extension DownloadPlanner {
    mutating func judged(
        _ id: TransferID,
        _ verdict: HeadVerdict,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        parts.update(id) { $0.headAt = now }
        guard let segment = parts.segments[id] else { return }
        // The first bytes of all are kept also where their connection was given up meanwhile.
        guard !segment.isClosing || (pinned == nil && verdict.isPin) else { return }
        switch verdict {
        case .pin(let representation, let acceptsRanges):
            servedWell(segment)
            noteRanges(segment.source, representation, acceptsRanges, &actions)
            phase = .openingStore(id, representation)
            actions.append(.openStore(id, representation))
        case .write(let range, let representation):
            accept(segment, range, representation, &actions)
        case .whole(let representation, _): gotWhole(segment, representation, now, &actions)
        case .unproven(let reason): doubt(segment.source, reason, &actions)
        case .changed(let representation, let onlyEntityTag):
            servedWell(segment)
            changed(segment, representation, onlyEntityTag: onlyEntityTag, now, &actions)
        case .rangeNotSatisfiable(let total): notSatisfiable(segment, total, now, &actions)
        case .redirect(let location): redirected(segment, location, &actions)
        case .brokenRange(let reason):
            sources[segment.source].rangeWasBroken(in: id, lastOpened: lastID)
            actions.append(.log(reason))
            if sources[segment.source].ranges == .unusable {
                actions.append(.log("the server's ranges are broken: one stream from now on"))
            }
        case .malformed(let reason):
            let advice = "try again later, or another address for the file"
            let error = DownloadError(.badResponse, reason, advice: advice)
            giveUp(segment.source, error, &actions)
        case .captivePortal: gotErrorPage(segment, .webPage, now, &actions)
        case .unprovenWhole(let missing):
            gotErrorPage(segment, .missing(missing), now, &actions)
        case .lostEntityTag(let representation, let range):
            lostEntityTag(segment, representation, range, now, &actions)
        case .status(let status, let reason, let retryAfter):
            gotStatus(segment, status, reason, retryAfter, now, &actions)
        }
    }

    private mutating func noteRanges(
        _ place: Int,
        _ representation: Representation,
        _ acceptsRanges: Bool,
        _ actions: inout [DownloadAction]
    ) {
        if acceptsRanges {
            if sources[place].ranges == .unknown { sources[place].ranges = .usable }
        } else if representation.total != nil || representation.contentEncoding != nil {
            sources[place].ranges = .unusable
        }
        if let coding = representation.contentEncoding {
            actions.append(
                .log(
                    "the server sent the file encoded (\(coding)) though it was not asked to: "
                        + "kept as it came, not resumable"
                )
            )
        }
    }

    /// A good head tells of the address that was asked, which may not be the present one.
    private mutating func servedWell(_ segment: Segment) {
        if segment.url == sources[segment.source].address { sources[segment.source].servedWell() }
    }

    private mutating func accept(
        _ segment: Segment,
        _ range: ByteRange,
        _ representation: Representation,
        _ actions: inout [DownloadAction]
    ) {
        servedWell(segment)
        let place = segment.source
        sources[place].rangeWasServed()
        sources[place].otherLength = nil
        if isStranger(place) { sources[place].known = representation }
        if range.end < segment.responseEnd, segment.responseEnd != .max {
            parts.answeredShort(range.count)
        }
        parts.update(segment.id) {
            $0.isHeadAccepted = true
            if $0.end == .max { $0.end = range.end }
            $0.responseEnd = range.end
        }
        if isAdopting { pin(adopting(representation), by: place) }
        setTotal(representation.total, &actions)
    }

    private mutating func setTotal(_ total: Int64?, _ actions: inout [DownloadAction]) {
        guard pinned?.total == nil, let total else { return }
        pinned?.total = total
        parts.total = total
        if let pinned { actions.append(.updateRepresentation(pinned)) }
    }

    /// The first answer that fits adopted bytes says what they are of.
    ///
    /// The digest goes into the checkpoint: no later run may do without it.
    private mutating func adopting(_ representation: Representation) -> Representation {
        isAdopting = false
        var pinned = representation
        pinned.total = nil
        if case .digest(let digest) = settings.checksum { pinned.digest = digest }
        return pinned
    }

    /// A 200 where something is pinned.
    ///
    /// The response is held.
    private mutating func gotWhole(
        _ segment: Segment,
        _ representation: Representation,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard isProven(representation, of: segment.source, &actions) else {
            return close(segment.id, &actions)
        }
        if isOtherLengthUnproven(representation, of: segment.source) {
            close(segment.id, &actions)
            return gotErrorPage(segment, .otherLength(representation.total), now, &actions)
        }
        servedWell(segment)
        if !segment.isWhole {
            sources[segment.source].ranges = .unusable
            actions.append(
                .log("the server answers ranges with the whole file: one stream from now on")
            )
        }
        let others = parts.segments.values.contains { $0.id != segment.id && $0.isHeadAccepted }
        guard !others else { return close(segment.id, &actions) }
        let isOther = segment.source != anchor && !isAdopting
        guard let known = pinned,
            isOther || mayJoin(representation, to: known, have: parts.have)
        else { return startOver(with: segment, representation, &actions) }
        if isAdopting { pin(adopting(representation), by: segment.source) }
        setTotal(known.total ?? representation.total, &actions)
        if parts.isComplete { return close(segment.id, &actions) }
        goOnAlone(with: segment.id, now, &actions)
    }

    /// Whether a whole answer may be judged by what is pinned: another source's must prove itself
    /// first.
    private mutating func isProven(
        _ seen: Representation,
        of place: Int,
        _ actions: inout [DownloadAction]
    ) -> Bool {
        guard let pinned, place != anchor, !isAdopting else { return true }
        if let known = sources[place].known, known.isProvenSame(seen) { return true }
        if let reason = pinned.difference(toAnotherSource: seen, digest: givenDigest) {
            doubt(place, reason, &actions)
            return false
        }
        sources[place].known = seen
        return true
    }

    /// Lets a held whole response go on.
    mutating func goOn(
        with id: TransferID,
        skipUntil: Int64,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        let end = parts.total ?? .max
        parts.update(id) {
            $0.isHeadAccepted = true
            // The time that its store took was not the server's.
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

    private mutating func redirected(
        _ segment: Segment,
        _ location: String,
        _ actions: inout [DownloadAction]
    ) {
        // Of several that were sent on at once the first shows the way for all.
        let source = sources[segment.source]
        guard segment.wave == source.wave, segment.url == source.address else { return }
        do throws(DownloadError) {
            let policy = RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirects)
            sources[segment.source].follow(
                to: try policy.next(
                    from: source.address,
                    location: location,
                    hops: source.hops
                )
            )
        } catch {
            giveUp(segment.source, error, &actions)
        }
    }

    private mutating func notSatisfiable(
        _ segment: Segment,
        _ total: Int64?,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard !segment.isWhole else {
            let error = DownloadError(
                .badResponse,
                "\(segment.host) answered 416 where no range was asked for",
                advice: "try another address for the file"
            )
            return giveUp(segment.source, error, &actions)
        }
        if isReceiving(from: segment.source) {
            // It serves ranges to others: this one was one too many.
            noteTooMany(segment, now)
            let error = DownloadError(
                .badResponse,
                "\(segment.host) answered 416 to a part of the file"
            )
            return failed(segment, error, mayRetryAtOnce: false, now, &actions)
        }
        guard segment.source == anchor || isAdopting else {
            return doubt(segment.source, "it does not have the range asked for", &actions)
        }
        guard let total else {
            // Nothing was said: one request without a range tells what is there.
            sources[segment.source].ranges = .unusable
            return
        }
        let isAllThere = parts.have == RangeSet(ByteRange(0, total))
        guard isAllThere, pinned?.total ?? total == total else {
            var other = Representation(total: total)
            other.mediaType = pinned?.mediaType
            if isAdopting { return refuseAdoption(parts.have.count, other, &actions) }
            // No validator comes with it: a whole answer tells whether the file is another one.
            return sources[segment.source].rangeWasNotThere()
        }
        setTotal(total, &actions)
    }
}

// MARK: - Changed on the server

extension DownloadPlanner {
    private mutating func changed(
        _ segment: Segment,
        _ representation: Representation,
        onlyEntityTag: Bool,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        if isAdopting { return refuseAdoption(parts.have.count, representation, &actions) }
        guard segment.source == anchor else { return mirrorChanged(segment.source, &actions) }
        if isOtherLengthUnproven(representation, of: segment.source) {
            return gotErrorPage(segment, .otherLength(representation.total), now, &actions)
        }
        changes += 1
        if onlyEntityTag, isOneStreamsWork || changes > 1 {
            // Tags that differ from answer to answer: nothing of two answers may be mixed.
            sources[segment.source].ranges = .unusable
            actions.append(
                .log("the server's entity tag differs from answer to answer: one stream only")
            )
            if isOneStreamsWork { return distrustValidators(&actions) }
        } else if changes > 1 {
            guard leaveChanging(segment.source, &actions) else { return }
        }
        if !onlyEntityTag || changes <= 1 {
            actions.append(.notice("the file changed on the server: starting over"))
        }
        pinned = nil
        // Its bytes are new ones; how often this may be is counted.
        highWater = 0
        drain(.startOver(held: nil, nil), keeping: nil, &actions)
    }

    /// The adopted bytes cannot be the beginning of what the server has.
    ///
    /// They are not ours to throw away.
    private mutating func refuseAdoption(
        _ count: Int64,
        _ representation: Representation,
        _ actions: inout [DownloadAction]
    ) {
        let size = representation.total.map { "\($0)" } ?? "an unknown number of"
        fail(
            DownloadError(
                .checksumMismatch,
                "the partial file to adopt has \(count) bytes and does not fit the server's file, "
                    + "which has \(size)",
                advice: "leave out --adopt, or move the partial file away"
            ),
            &actions
        )
    }

    /// False where no other source could go on in its place.
    mutating func leaveChanging(_ place: Int, _ actions: inout [DownloadAction]) -> Bool {
        // One that was doubted may have what is there now.
        guard sources.indices.contains(where: { $0 != place && sources[$0].failure == nil }) else {
            fail(Self.keepsChanging, &actions)
            return false
        }
        giveUp(place, Self.keepsChanging, &actions)
        changes = 0
        return true
    }

    private static let keepsChanging = DownloadError(
        .keepsChanging,
        "the file changed on the server again",
        advice: "try again when it is no longer being written"
    )

    /// Whether all that is there came over one whole response that still runs.
    private var isOneStreamsWork: Bool {
        guard let stream = parts.segments.values.first(where: { $0.isWhole && $0.isHeadAccepted })
        else { return false }
        return parts.have.isEmpty
            && parts.segments.values.allSatisfy {
                $0.id == stream.id || $0.offset == $0.start
            }
    }

    /// The date stayed while the tag changed: it cannot prove either that two answers fit.
    private mutating func distrustValidators(_ actions: inout [DownloadAction]) {
        pinned?.entityTag = nil
        pinned?.lastModifiedIsOld = false
        if let pinned { actions.append(.updateRepresentation(pinned)) }
    }

    /// The held response is the first of a new representation.
    private mutating func startOver(
        with segment: Segment,
        _ representation: Representation,
        _ actions: inout [DownloadAction]
    ) {
        if isAdopting { return refuseAdoption(parts.have.count, representation, &actions) }
        if !parts.have.isEmpty {
            let isChange = pinned?.compare(representation) == .changed(onlyEntityTag: false)
            if isChange {
                sources[segment.source].fileChanged()
                changes += 1
                highWater = 0
                if changes > 1 {
                    guard leaveChanging(segment.source, &actions) else { return }
                    pinned = nil
                    return drain(.startOver(held: nil, nil), keeping: nil, &actions)
                }
            }
            // For lack of proof this may be again and again; where no more bytes come than ever
            // before, the failures that lead here are counted.
            actions.append(
                .log(
                    isChange
                        ? "the file changed on the server: starting over"
                        : "nothing proves that the file is still the same: starting over"
                )
            )
        }
        let acceptsRanges = sources[segment.source].ranges != .unusable
        noteRanges(segment.source, representation, acceptsRanges, &actions)
        drain(
            .startOver(held: segment.id, representation),
            keeping: segment.id,
            &actions
        )
    }

    mutating func storeOpened(
        _ id: TransferID,
        _ point: StartingPoint?,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard case .openingStore(id, let representation) = phase else { return }
        phase = .running
        pin(representation, by: parts.segments[id]?.source)
        parts.total = representation.total
        parts.begin(have: RangeSet(), total: representation.total)
        guard let point, !point.have.isEmpty else {
            return goOn(with: id, skipUntil: 0, now, &actions)
        }
        isAdopting = point.isForeign
        if let doubt = doubt(about: representation, by: id, of: point) {
            return refuseBeginning(with: id, representation, point, doubt, now, &actions)
        }
        guard isProven(representation, by: id, of: point) else {
            if isAdopting { return refuseAdoption(point.have.count, representation, &actions) }
            actions.append(.log("the file on the server is another than the one begun: anew"))
            return drain(.startOver(held: id, representation), keeping: id, &actions)
        }
        if isAdopting {
            pin(adopting(representation), by: anchor)
            setTotal(representation.total, &actions)
        }
        beginParts(with: point, total: representation.total)
        if parts.isComplete || !isSingleStream { return close(id, &actions) }
        goOnAlone(with: id, now, &actions)
    }

    /// Whether an answer is of what an earlier run left, by the proof that its source needs.
    private func isProven(
        _ representation: Representation,
        by id: TransferID,
        of point: StartingPoint
    ) -> Bool {
        let known = point.representation
        guard canResume(point) else { return false }
        if mayJoin(representation, to: known, have: point.have) { return true }
        guard parts.segments[id]?.source != place(of: point), canResume(known) else { return false }
        return known.difference(toAnotherSource: representation, digest: givenDigest) == nil
    }

    mutating func storeReset(
        _ id: TransferID?,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard case .resetting(id, let representation) = phase else { return }
        phase = .running
        pin(representation, by: id.flatMap { parts.segments[$0]?.source })
        parts.begin(have: RangeSet(), total: representation.total)
        if let id { goOn(with: id, skipUntil: 0, now, &actions) }
    }
}
