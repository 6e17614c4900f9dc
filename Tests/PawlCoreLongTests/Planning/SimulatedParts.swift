import PawlCore

/// A target that takes the parts of a file in order, and notes what it could not take.
struct SimulatedParts {
    let grid: SegmentGrid
    /// The end of the bytes in each part that has any.
    private var written: [Int64: Int64] = [:]
    private(set) var violations: [String] = []

    init(_ grid: SegmentGrid) { self.grid = grid }

    /// Begins with the bytes that an earlier run left, or with none.
    mutating func begin(with have: RangeSet) {
        written = [:]
        for range in have.ranges { write(range) }
    }

    mutating func write(_ bytes: ByteRange) {
        var start = bytes.start
        while start < bytes.end {
            let part = grid.boundary(atOrBefore: start)
            let end = min(bytes.end, part + grid.partBytes)
            if start > written[part] ?? part { violations.append("a gap before \(start)") }
            written[part] = max(written[part] ?? part, end)
            start = end
        }
    }

    /// Notes that a transfer may write some bytes from now on, while others may write theirs.
    mutating func assigned(_ bytes: ByteRange, beside others: [ByteRange], total: Int64?) {
        if bytes.end != .max, bytes.end != total, !grid.isBoundary(bytes.end) {
            violations.append("an end at \(bytes.end)")
        }
        let own = parts(bytes)
        for other in others where !own.intersection(parts(other)).isEmpty {
            violations.append("\(bytes) and \(other) share a part")
        }
    }

    private func parts(_ bytes: ByteRange) -> ByteRange {
        guard !bytes.isEmpty else { return ByteRange(0, 0) }
        return ByteRange(
            grid.boundary(atOrBefore: bytes.start),
            grid.boundary(atOrAfter: bytes.end)
        )
    }
}
