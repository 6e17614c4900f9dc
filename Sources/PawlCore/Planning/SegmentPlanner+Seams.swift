/// Where bytes of two answers meet, and no strong validator vouches for them.
extension SegmentPlanner {
    /// Whether what follows `end` is there, so that an answer that runs on can be compared with it.
    package func canCompare(behind end: Int64) -> Bool {
        guard let total, end < total else { return true }
        return arrived.contains(ByteRange(end, min(total, end + Seam.tailBytes)))
    }

    /// Whether a whole answer may go on behind its end: two answers never write the same bytes.
    ///
    /// Of a transfer that was answered there may be more than the planner knows.
    func isFree(behind stream: Segment) -> Bool {
        guard provesSeams else { return true }
        return have.ranges.allSatisfy { $0.end <= stream.end }
            && rivals(behind: stream).allSatisfy { !$0.isHeadAccepted }
    }

    /// Transfers that have been given bytes behind the end of a whole answer.
    func rivals(behind stream: Segment) -> [Segment] {
        segments.values.filter { $0.id != stream.id && $0.end > stream.end }
            .sorted { $0.id < $1.id }
    }

    /// How many bytes before `start` are there and are to be compared.
    func leadBytes(before start: Int64) -> Int64 {
        guard let range = arrived.ranges.first(where: { $0.start < start && $0.end >= start })
        else { return 0 }
        return min(longestLead, start - range.start)
    }

    /// Segments whose end can be proven from now on.
    mutating func closeOpenEnds() -> [TransferID] {
        guard provesSeams else { return [] }
        let provable = segments.values.filter {
            $0.isEndOpen && !$0.isClosing && $0.isHeadAccepted && !$0.isComplete
                && $0.responseEnd > $0.end && canCompare(behind: $0.end)
        }.map(\.id).sorted()
        for id in provable { update(id) { $0.isEndOpen = false } }
        return provable
    }

    /// A byte that is left out between two answers waits until both sides are there.
    var nextProvableGap: ByteRange? {
        unassigned.ranges.first { $0.count > 1 || canCompare(behind: $0.end) }
    }

    func proving(_ claim: Claim) -> Claim {
        var claim = claim
        claim.leadBytes = leadBytes(before: claim.range.start)
        claim.isEndOpen = !canCompare(behind: claim.range.end)
        return claim
    }
}
