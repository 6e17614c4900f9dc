extension SegmentPlanner {
    /// Whether two responses may write the same bytes.
    var mayOverlap: Bool { !provesSeams && grid == nil }

    /// Returns the bytes for a connection to a target that takes whole parts: the rest of a part
    /// whose transfer has ended; otherwise parts that no transfer receives; otherwise some of
    /// those that another transfer has not begun.
    ///
    /// There is no race: a part has one writer.
    func assign(for opening: Opening, at now: Moment, within grid: SegmentGrid) -> Assignment? {
        let gaps = unassigned.ranges
        let begun = gaps.filter { !grid.isBoundary($0.start) }
        // Until it is complete, the target keeps a part in memory.
        if let rest = begun.first { return Assignment(range: shortened(rest)) }
        let mayBegin = begunParts < grid.mostBegunParts
        if mayBegin, let gap = gaps.first { return Assignment(range: shortened(gap)) }
        return takeOver(for: opening, at: now) ?? (mayBegin ? split(for: opening) : nil)
    }

    /// The number of parts that running transfers may have begun; those that ended transfers have
    /// begun are not counted.
    private var begunParts: Int { segments.values.count { $0.start < $0.end } }

    /// Returns the bytes behind a segment that no connection receives, as far as its response
    /// contains them and it may end there (``unservedBytes(behind:at:isSilent:)``).
    func servableBytes(
        behind segment: Segment,
        at now: Moment,
        isSilent: (Int) -> Bool
    ) -> (end: Int64, unanswered: Segment?)? {
        let unserved = unservedBytes(behind: segment, at: now, isSilent: isSilent)
        guard let (end, unanswered) = unserved else { return nil }
        let reached = min(end, segment.responseEnd)
        guard let grid, reached != total else { return (reached, unanswered) }
        let last = grid.boundary(atOrBefore: reached)
        return last > segment.end ? (last, unanswered) : nil
    }
}
