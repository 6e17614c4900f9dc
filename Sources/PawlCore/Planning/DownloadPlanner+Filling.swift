/// Opening connections: which, how many, for which bytes.
extension DownloadPlanner {
    /// Does what the present state asks for, after any event.
    mutating func proceed(_ now: Moment, _ actions: inout [DownloadAction]) {
        watchLimits(now)
        switch phase {
        case .ended, .finishing, .openingStore, .resetting: return
        case .draining(let why):
            finishDraining(why, now, &actions)
            if case .running = phase { proceed(now, &actions) }
        case .running:
            if parts.isComplete, let total = parts.total {
                drain(.complete(total), keeping: nil, &actions)
                proceed(now, &actions)
            } else {
                proveEnds(&actions)
                fill(now, &actions)
            }
        }
    }

    /// One stream from offset 0 is all that the sources give.
    var isSingleStream: Bool {
        guard let pinned, pinned.total != nil, pinned.contentEncoding == nil else { return true }
        let usable = sources.filter(\.isUsable)
        return (usable.isEmpty ? sources : usable).allSatisfy { $0.ranges == .unusable }
    }

    private mutating func fill(_ now: Moment, _ actions: inout [DownloadAction]) {
        guard sources.contains(where: \.isUsable) else {
            // A whole response that still runs may bring all by itself.
            _ = widenStream(&actions)
            slots.releaseAll(&actions)
            if parts.segments.isEmpty { runOut(now, &actions) }
            return
        }
        if isSingleStream, widenStream(&actions) { return slots.releaseAll(&actions) }
        if isHeldByNetwork { return slots.releaseAll(&actions) }
        for place in sources.indices { sources[place].passTime(now) }
        let asked = sources.filter { $0.isUsable && $0.retryAt == nil }
        slots.withdraw(except: Set(asked.map(\.host)), &actions)
        while parts.segments.count < connectionsWanted {
            // Those that are left wait for a slot, or may not be asked now.
            guard let choice = chooseSource(now) else { return slots.releaseSpare(&actions) }
            guard let next = nextOrder(choice, now) else { break }
            let host = sources[choice.source].host
            guard slots.take(host) else {
                slots.request(host, &actions)
                return
            }
            open(next, from: choice.source, now, &actions)
        }
        slots.releaseAll(&actions)
    }

    /// How many connections there should be now.
    private var connectionsWanted: Int {
        pinned == nil || isSingleStream ? 1 : governor.target
    }

    /// Lets a whole response that is under way go on to its end; true where there is one.
    private mutating func widenStream(_ actions: inout [DownloadAction]) -> Bool {
        guard let stream = parts.segments.values.first(where: { $0.isWhole && !$0.isClosing })
        else { return false }
        if stream.end < stream.responseEnd, !stream.isComplete, parts.isFree(behind: stream) {
            if parts.provesSeams {
                for rival in parts.rivals(behind: stream) { withdraw(rival, &actions) }
            }
            parts.update(stream.id) {
                $0.end = $0.responseEnd
                $0.isEndOpen = false
            }
            actions.append(.setEnd(stream.id, stream.responseEnd))
        }
        return true
    }

    /// Takes all its bytes away from a transfer that was not answered yet: it writes none, also if its
    /// answer is on its way.
    private mutating func withdraw(_ segment: Segment, _ actions: inout [DownloadAction]) {
        parts.update(segment.id) { ($0.end, $0.isEndOpen) = ($0.start, false) }
        actions.append(.setEnd(segment.id, segment.start))
        close(segment.id, &actions)
    }

    private mutating func giveUp(
        from start: Int64,
        of donor: TransferID,
        _ actions: inout [DownloadAction]
    ) {
        guard let segment = parts.segments[donor] else { return }
        guard segment.start < start else { return withdraw(segment, &actions) }
        let isOpen = parts.provesSeams
        parts.update(donor) { ($0.end, $0.isEndOpen) = (start, isOpen) }
        if let action = endAction(donor) { actions.append(action) }
    }

    /// Lets connections continue into what nobody brings: the server may serve no other one.
    mutating func extendEnds(_ now: Moment, _ actions: inout [DownloadAction]) {
        for segment in parts.endingSoon() {
            guard let (end, unanswered) = parts.unservedBytes(behind: segment, at: now) else {
                continue
            }
            if let unanswered { withdraw(unanswered, &actions) }
            let last = min(end, segment.responseEnd)
            let isOpen = parts.provesSeams && last != parts.total
            parts.update(segment.id) { ($0.end, $0.isEndOpen) = (last, isOpen) }
            if let action = endAction(segment.id) { actions.append(action) }
        }
    }

    private struct NextOrder {
        var range: ByteRange?
        var start: Int64
        var end: Int64
        var claim: SegmentPlanner.Claim?
    }

    private func nextOrder(_ choice: SourcePromise, _ now: Moment) -> NextOrder? {
        guard let pinned else { return NextOrder(range: nil, start: 0, end: .max) }
        let end = pinned.total ?? .max
        if isSingleStream {
            guard parts.segments.isEmpty else { return nil }
            let frontier = parts.have.frontier
            // Without a length, a strong validator still allows to ask for the rest.
            if frontier > 0, sources[choice.source].ranges != .unusable, canResume(pinned) {
                return NextOrder(
                    range: ByteRange(frontier, .max),
                    start: frontier,
                    end: .max
                )
            }
            return NextOrder(range: nil, start: 0, end: end)
        }
        // A single source promises what its connections bring already.
        let promised = sources.count > 1 ? choice.known : nil
        guard let claim = parts.claim(promised: promised, at: now) else { return nil }
        return NextOrder(
            range: request(for: claim),
            start: claim.range.start,
            end: claim.range.end,
            claim: claim
        )
    }

    /// Its own bytes, and what is to be compared before and behind them.
    private func request(for claim: SegmentPlanner.Claim) -> ByteRange {
        guard parts.provesSeams, let total = parts.total else { return claim.range }
        return ByteRange(
            claim.range.start - claim.leadBytes,
            min(total, claim.range.end + Seam.tailBytes)
        )
    }

    private mutating func open(
        _ next: NextOrder,
        from place: Int,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        sources[place].slowBytesPerSecond = nil
        let source = sources[place]
        var order = TransferOrder(
            id: nextID(),
            url: source.address,
            range: next.range,
            pinned: pinned,
            start: next.start,
            end: next.end
        )
        order.source = place
        (order.pinned, order.proof) = expectation(of: place)
        order.former = former(of: place)
        if let donor = next.claim?.donor {
            giveUp(from: order.start, of: donor, &actions)
        }
        let isEndOpen = next.claim?.isEndOpen ?? false
        if parts.provesSeams, let claim = next.claim {
            order.comparesBytes = true
            order.isEndProven = !isEndOpen && claim.range.end != parts.total
            if isEndOpen { order.end = claim.range.end - 1 }
        }
        var segment = Segment(
            order: order,
            host: source.host,
            generation: source.generation,
            wave: source.wave,
            openedAt: now,
            attention: sources.count > 1 ? .milliseconds(700) : .seconds(2)
        )
        (segment.end, segment.isEndOpen) = (next.end, isEndOpen)
        if let rival = next.claim?.rival {
            segment.rival = rival
            parts.update(rival) { $0.rival = order.id }
        }
        parts.add(segment)
        actions.append(.open(order))
    }
}

// MARK: - Draining

extension DownloadPlanner {
    /// Ends all transfers but one; what is to be done then is done when they have ended.
    mutating func drain(
        _ why: Draining,
        keeping held: TransferID?,
        _ actions: inout [DownloadAction]
    ) {
        phase = .draining(why)
        for id in parts.segments.keys.sorted() where id != held { close(id, &actions) }
    }

    private mutating func finishDraining(
        _ why: Draining,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        switch why {
        case .complete(let total):
            guard parts.segments.isEmpty else { return }
            phase = .finishing
            slots.releaseAll(&actions)
            actions.append(.complete(total: total))
        case .skip(let held):
            guard parts.segments.keys.allSatisfy({ $0 == held }) else { return }
            phase = .running
            goOnAlone(with: held, now, &actions)
        case .restrict(let durable):
            guard parts.segments.isEmpty else { return }
            parts.restrict(to: durable)
            actions.append(.restrictLedger(durable))
            phase = .running
        case .startOver(let held, let representation):
            guard parts.segments.keys.allSatisfy({ $0 == held }) else { return }
            parts.reset()
            guard let representation else {
                pinned = nil
                anchor = nil
                parts.total = nil
                phase = .running
                for place in sources.indices {
                    (sources[place].known, sources[place].doubt) = (nil, nil)
                }
                return
            }
            phase = .resetting(held, representation)
            actions.append(.resetStore(held, representation))
        }
    }
}
