/// The parts in which a target takes the bytes of a file: all have the same length, except that the
/// last one may be shorter.
///
/// A part is written from its first byte to its last, by one transfer at a time. Another transfer
/// may continue a part whose transfer has ended.
package struct SegmentGrid: Hashable, Sendable {
    /// The length of a part, in bytes.
    package let partBytes: Int64
    /// The maximum number of parts that are begun and not complete.
    package let mostBegunParts: Int

    package init(partBytes: Int64, mostBegunParts: Int = .max) {
        self.partBytes = max(1, partBytes)
        self.mostBegunParts = max(1, mostBegunParts)
    }

    /// Returns the last boundary at or before an offset.
    package func boundary(atOrBefore offset: Int64) -> Int64 { offset / partBytes * partBytes }

    /// Returns the first boundary at or after an offset.
    package func boundary(atOrAfter offset: Int64) -> Int64 {
        let before = boundary(atOrBefore: offset)
        guard before < offset else { return offset }
        let (after, isTooLarge) = before.addingReportingOverflow(partBytes)
        return isTooLarge ? .max : after
    }

    package func isBoundary(_ offset: Int64) -> Bool { offset % partBytes == 0 }

    /// Returns the bytes that form whole parts of a file; `total` is its length, if that is known.
    package func wholeParts(of bytes: RangeSet, total: Int64?) -> RangeSet {
        RangeSet(
            bytes.ranges.map { range in
                let end = range.end == total ? range.end : boundary(atOrBefore: range.end)
                return ByteRange(boundary(atOrAfter: range.start), end)
            }
        )
    }

    /// Returns the boundary that divides the bytes that a transfer has yet to receive, closest to
    /// its first `kept` bytes; `nil` if all are in the part that the transfer is about to write.
    func cut(in rest: ByteRange, keeping kept: Int64) -> Int64? {
        let first = boundary(atOrAfter: rest.start + 1)
        guard first < rest.end else { return nil }
        let wanted = rest.start + max(0, kept)
        let before = boundary(atOrBefore: wanted)
        let closest = wanted - before < partBytes / 2 ? before : boundary(atOrAfter: wanted)
        return min(max(closest, first), boundary(atOrBefore: rest.end - 1))
    }
}
