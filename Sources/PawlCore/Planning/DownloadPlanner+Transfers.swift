/// The opening, ending and closing of transfers.
extension DownloadPlanner {
    /// Takes the actions that the present state requires, after any event.
    mutating func proceed() {
        watchLimits()
        switch phase {
        case .ended, .finishing, .openingStore, .resetting: return
        case .draining(let why):
            finishDraining(why)
            if case .running = phase { proceed() }
        case .running:
            if parts.isComplete, let total = parts.total {
                drain(.complete(total), keeping: nil)
                proceed()
            } else {
                proveEnds()
                fill()
            }
        }
    }

    /// Whether the file is received in one stream from offset 0.
    var isSingleStream: Bool {
        !file.isDivisible || sources.isSingleStream
    }

    private mutating func fill() {
        guard sources.isAnyUsable else {
            // A whole response that has not ended may contain all of the file.
            _ = widenStream()
            slots.releaseAll(&actions)
            if parts.segments.isEmpty { runOut() }
            return
        }
        if isSingleStream, widenStream() { return slots.releaseAll(&actions) }
        if isHeldByNetwork { return slots.releaseAll(&actions) }
        sources.passTime(now)
        slots.withdraw(except: Set(sources.ready.map(\.host)), &actions)
        while parts.segments.count < connectionsWanted {
            // The other sources wait for a slot, or may not be used now.
            guard let choice = sourceChoice().best() else { return slots.releaseSpare(&actions) }
            guard let claim = nextClaim(for: choice) else { break }
            let host = sources[choice.source].host
            guard slots.take(host) else {
                slots.request(host, &actions)
                return
            }
            open(claim, from: choice.source)
        }
        slots.releaseAll(&actions)
    }

    /// The number of connections wanted now.
    private var connectionsWanted: Int {
        isSingleStream ? 1 : governor.target
    }

    /// Lets an open whole response continue to its end; returns whether there is one.
    private mutating func widenStream() -> Bool {
        guard let stream = parts.segments.values.first(where: { $0.isWhole && !$0.isClosing })
        else { return false }
        if stream.end < stream.responseEnd, !stream.isComplete, parts.isFree(behind: stream) {
            if parts.provesSeams {
                for rival in parts.rivals(behind: stream) { withdraw(rival) }
            }
            parts.update(stream.id) {
                $0.end = $0.responseEnd
                $0.isEndOpen = false
            }
            actions.append(.setEnd(stream.id, stream.responseEnd))
        }
        return true
    }

    /// Withdraws all bytes from a transfer without an answer: it writes none, even if its answer is
    /// on its way.
    private mutating func withdraw(_ segment: Segment) {
        parts.update(segment.id) { ($0.end, $0.isEndOpen) = ($0.start, false) }
        actions.append(.setEnd(segment.id, segment.start))
        close(segment.id)
    }

    private mutating func giveUp(from start: Int64, of donor: TransferID) {
        guard let segment = parts.segments[donor] else { return }
        guard segment.start < start else { return withdraw(segment) }
        let isOpen = parts.provesSeams
        parts.update(donor) { ($0.end, $0.isEndOpen) = (start, isOpen) }
        endMoved(donor)
    }

    /// Lets connections continue into bytes that no other connection receives: the server may allow
    /// no more connections.
    mutating func extendEnds() {
        for segment in parts.endingSoon() {
            guard let (end, unanswered) = parts.unservedBytes(behind: segment, at: now) else {
                continue
            }
            if let unanswered { withdraw(unanswered) }
            let last = min(end, segment.responseEnd)
            let isOpen = parts.provesSeams && last != parts.total
            parts.update(segment.id) { ($0.end, $0.isEndOpen) = (last, isOpen) }
            endMoved(segment.id)
        }
    }

    /// Returns the choice among the sources, from the facts known at this moment.
    func sourceChoice() -> SourceChoice {
        SourceChoice(
            among: sources,
            for: parts,
            slots,
            target: governor.target,
            isSingleStream: isSingleStream,
            at: now
        )
    }

    /// Returns the bytes for a new connection; `nil` if there are none.
    private func nextClaim(for choice: SourcePromise) -> SegmentPlanner.Claim? {
        guard isSingleStream else {
            // A new connection to a single source is expected to be as fast as the present ones.
            let promised = sources.places.count > 1 ? choice.known : nil
            return parts.claim(promised: promised, at: now)
        }
        let frontier = parts.have.frontier
        // Without a length, a strong validator still allows a request for the rest.
        if frontier > 0, let pinned = file.representation, file.canResume(pinned),
            sources[choice.source].evidence.ranges != .unusable
        {
            return SegmentPlanner.Claim(range: ByteRange(frontier, .max))
        }
        return SegmentPlanner.Claim(range: ByteRange(0, file.total ?? .max))
    }

    /// Returns the range to request: the bytes of a claim, and those that are compared before and
    /// behind them; `nil` for the whole file.
    private func request(for claim: SegmentPlanner.Claim) -> ByteRange? {
        if isSingleStream { return claim.range.start > 0 ? claim.range : nil }
        guard parts.provesSeams, let total = parts.total else { return claim.range }
        return ByteRange(
            claim.range.start - claim.leadBytes,
            min(total, claim.range.end + Seam.tailBytes)
        )
    }

    private mutating func open(_ claim: SegmentPlanner.Claim, from place: Int) {
        sources[place].slowBytesPerSecond = nil
        let source = sources[place]
        var order = TransferOrder(
            id: nextID(),
            url: source.exchange.request.url,
            range: request(for: claim),
            pinned: nil,
            start: claim.range.start,
            end: claim.range.end
        )
        order.source = place
        file.expect(&order, of: place, known: source.evidence.known)
        if let donor = claim.donor { giveUp(from: order.start, of: donor) }
        if parts.provesSeams, !isSingleStream {
            order.comparesBytes = true
            order.isEndProven = !claim.isEndOpen && claim.range.end != parts.total
            if claim.isEndOpen { order.end = claim.range.end - 1 }
        }
        var segment = Segment(
            order: order,
            host: source.host,
            attempt: source.exchange.attempt,
            openedAt: now,
            attention: sources.places.count > 1 ? .milliseconds(700) : .seconds(2)
        )
        (segment.end, segment.isEndOpen) = (claim.range.end, claim.isEndOpen)
        if let rival = claim.rival {
            segment.rival = rival
            parts.update(rival) { $0.rival = order.id }
        }
        parts.add(segment)
        actions.append(.open(order))
    }

    // MARK: - Ends

    /// Returns whether one of the sources sent the bytes of an earlier run.
    func isOfSource(_ point: StartingPoint) -> Bool {
        sources.place(of: point.firstSource) != nil
    }

    /// Begins with the bytes of an earlier run.
    mutating func beginParts(with point: StartingPoint, total: Int64?) {
        parts.begin(have: point.have, total: total)
        if parts.provesSeams { parts.takeSamples(&random) }
        highWater = point.have.count
    }

    /// Lets segments continue into the bytes of their neighbours, which are present now, to compare
    /// them.
    private mutating func proveEnds() {
        for id in parts.closeOpenEnds() {
            guard let segment = parts.segments[id] else { continue }
            actions.append(.setEnd(id, segment.end, isProven: true))
        }
    }

    /// Sends a transfer its new end.
    mutating func endMoved(_ id: TransferID) {
        guard let segment = parts.segments[id] else { return }
        actions.append(.setEnd(id, segment.writableEnd))
    }

    /// Resumes a held whole response as soon as no other transfer writes.
    mutating func goOnAlone(with id: TransferID) {
        guard let place = parts.segments[id]?.source else { return }
        let others = parts.segments.values.filter { $0.id != id }
        if !parts.provesSeams || others.isEmpty {
            goOn(with: id, skipUntil: prepareSkipping())
        } else if others.contains(where: { $0.source != place && !$0.isClosing }) {
            // Another source may serve ranges.
            close(id)
        } else {
            drain(.skip(held: id), keeping: id)
        }
    }

    /// Prepares for reading a whole answer from offset 0: it is compared with the bytes received so
    /// far, and contains the rest; returns the offset of the rest.
    private mutating func prepareSkipping() -> Int64 {
        guard parts.provesSeams else { return parts.have.frontier }
        parts.endSampling()
        let frontier = parts.have.frontier
        parts.restrict(to: RangeSet(ByteRange(0, frontier)))
        actions.append(.restrictLedger(parts.have))
        return frontier
    }

    /// Starts over with another version, which neither validators nor the length revealed.
    mutating func seamDiffered(_ id: TransferID) {
        guard let segment = parts.segments[id] else { return }
        switch phase {
        case .running, .draining(.complete), .draining(.restrict), .draining(.skip): break
        default: return
        }
        let place = segment.source
        differences += 1
        if place != file.anchor { doubt(place, "it has a different file") }
        if differences == 2 {
            // Its bytes may differ from answer to answer: no two answers may be joined.
            sources[place].evidence.learn(from: .inconsistent)
        } else if differences > 2 {
            guard leaveChanging(place) else { return }
        }
        notice(
            "the file changed on the server: its bytes differ from those received before; "
                + "starting over"
        )
        startOver()
    }

    // MARK: - Draining

    /// Ends all transfers but one; when they have ended, `finishDraining` continues.
    mutating func drain(_ why: Draining, keeping held: TransferID?) {
        phase = .draining(why)
        for id in parts.segments.keys.sorted() where id != held { close(id) }
    }

    private mutating func finishDraining(_ why: Draining) {
        switch why {
        case .complete(let total):
            guard parts.segments.isEmpty else { return }
            phase = .finishing
            slots.releaseAll(&actions)
            actions.append(.complete(total: total))
        case .skip(let held):
            guard parts.segments.keys.allSatisfy({ $0 == held }) else { return }
            phase = .running
            goOnAlone(with: held)
        case .restrict(let durable):
            guard parts.segments.isEmpty else { return }
            parts.restrict(to: durable)
            actions.append(.restrictLedger(durable))
            phase = .running
        case .startOver(let held, let representation):
            guard parts.segments.keys.allSatisfy({ $0 == held }) else { return }
            parts.reset()
            guard let representation else {
                file.giveUp()
                file.forgetAnchor()
                parts.total = nil
                phase = .running
                for place in sources.places { sources[place].evidence.forgetProof() }
                return
            }
            phase = .resetting(held, representation)
            actions.append(.resetStore(held, representation))
        }
    }
}
