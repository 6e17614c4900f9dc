extension SegmentPlanner {
    /// Returns whether the bytes after `end` are present, so that a response that continues is
    /// compared with them.
    package func canCompare(behind end: Int64) -> Bool {
        guard let total, end < total else { return true }
        return arrived.contains(ByteRange(end, min(total, end + Seam.tailBytes)))
    }

    /// Returns whether a whole response may continue behind its end: two responses never write the
    /// same bytes, and a transfer with a response may have written more than the planner knows.
    func isFree(behind stream: Segment) -> Bool {
        guard !mayOverlap else { return true }
        return have.ranges.allSatisfy { $0.end <= stream.end }
            && rivals(behind: stream).allSatisfy { !$0.isHeadAccepted }
    }

    /// Returns the transfers that were assigned bytes after the end of a whole response.
    func rivals(behind stream: Segment) -> [Segment] {
        segments.values.filter { $0.id != stream.id && $0.end > stream.end }
    }

    /// Returns the number of bytes before `start` that are present and are compared.
    func leadBytes(before start: Int64) -> Int64 {
        guard let range = arrived.ranges.first(where: { $0.start < start && $0.end >= start })
        else { return 0 }
        return min(longestLead, start - range.start)
    }

    /// Marks the ends that can be compared now; returns their segments.
    mutating func closeOpenEnds() -> [TransferID] {
        guard provesSeams else { return [] }
        let provable = segments.values.filter {
            $0.isEndOpen && !$0.isClosing && $0.isHeadAccepted && !$0.isComplete
                && $0.responseEnd > $0.end && canCompare(behind: $0.end)
        }.map(\.id).sorted()
        for id in provable { update(id) { $0.isEndOpen = false } }
        return provable
    }

    /// The first gap to fill; a byte left out between two responses waits until both sides are
    /// present.
    var nextProvableGap: ByteRange? {
        unassigned.ranges.first { $0.count > 1 || canCompare(behind: $0.end) }
    }

    func proving(_ assignment: Assignment) -> Assignment {
        var assignment = assignment
        assignment.leadBytes = leadBytes(before: assignment.range.start)
        assignment.isEndOpen = !canCompare(behind: assignment.range.end)
        return assignment
    }
}
