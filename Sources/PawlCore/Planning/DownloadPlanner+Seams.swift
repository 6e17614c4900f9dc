/// Representations that no strong validator names: what is joined is compared.
extension DownloadPlanner {
    /// Whether bytes of two answers may touch only where they were compared.
    ///
    /// Adopted bytes are proven by the digest at the end.
    var needsSeams: Bool {
        guard let pinned, pinned.total != nil, pinned.contentEncoding == nil else { return false }
        return pinned.validatorStrength != .strong && !settings.adoptsPartialFile
    }

    /// Whether what an earlier run left may be joined with new bytes.
    ///
    /// Of another URL only if validators or a digest prove it: two files of one length may well be
    /// equal where they are compared.
    func canResume(_ point: StartingPoint) -> Bool {
        guard canResume(point.representation) else { return false }
        guard !point.isForeign, point.representation.validatorStrength != .strong,
            givenDigest == nil,
            let source = point.firstSource
        else { return true }
        return sources.contains { $0.original.redacted == source }
    }

    /// Takes over what an earlier run left.
    mutating func beginParts(with point: StartingPoint, total: Int64?) {
        parts.begin(have: point.have, total: total)
        if parts.provesSeams { parts.takeSamples(&random) }
        highWater = point.have.count
    }

    /// Lets segments whose neighbours' bytes are there now run on and compare.
    mutating func proveEnds(_ actions: inout [DownloadAction]) {
        for id in parts.closeOpenEnds() {
            guard let segment = parts.segments[id] else { continue }
            actions.append(.setEnd(id, segment.end, isProven: true))
        }
    }

    /// Where a segment ends, for its transfer.
    func endAction(_ id: TransferID) -> DownloadAction? {
        parts.segments[id].map { .setEnd(id, $0.writableEnd) }
    }

    /// Lets a held whole response go on when nothing else writes any more.
    mutating func goOnAlone(
        with id: TransferID,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard let place = parts.segments[id]?.source else { return }
        let others = parts.segments.values.filter { $0.id != id }
        if !parts.provesSeams || others.isEmpty {
            goOn(with: id, skipUntil: prepareSkipping(&actions), now, &actions)
        } else if others.contains(where: { $0.source != place && !$0.isClosing }) {
            // Another source may answer ranges.
            close(id, &actions)
        } else {
            drain(.skip(held: id), keeping: id, &actions)
        }
    }

    /// Before a whole answer is read past what is there: it is compared with all of it, and brings
    /// the rest by itself.
    private mutating func prepareSkipping(_ actions: inout [DownloadAction]) -> Int64 {
        guard parts.provesSeams else { return parts.have.frontier }
        parts.endSampling()
        let frontier = parts.have.frontier
        parts.restrict(to: RangeSet(ByteRange(0, frontier)))
        actions.append(.restrictLedger(parts.have))
        return frontier
    }

    /// Another version, of which neither validators nor the length told.
    mutating func seamDiffered(_ id: TransferID, _ actions: inout [DownloadAction]) {
        guard let segment = parts.segments[id] else { return }
        switch phase {
        case .running, .draining(.complete), .draining(.restrict), .draining(.skip): break
        default: return
        }
        let place = segment.source
        differences += 1
        if place != anchor { doubt(place, "its file is another one", &actions) }
        if differences == 2 {
            // Its bytes may differ from answer to answer: nothing of two answers may be joined.
            sources[place].ranges = .unusable
        } else if differences > 2 {
            guard leaveChanging(place, &actions) else { return }
        }
        actions.append(
            .notice(
                "the file changed on the server: what it sends now differs from what is there; "
                    + "starting over"
            )
        )
        pinned = nil
        highWater = 0
        drain(.startOver(held: nil, nil), keeping: nil, &actions)
    }
}
