/// A set of byte offsets, stored as sorted ranges that neither touch nor overlap.
package struct RangeSet: Hashable, Sendable {
    package private(set) var ranges: [ByteRange] = []

    package init() {}

    package init(_ ranges: some Sequence<ByteRange>) {
        for range in ranges { insert(range) }
    }

    package init(_ range: ByteRange) { insert(range) }

    package var isEmpty: Bool { ranges.isEmpty }
    package var count: Int64 { ranges.reduce(0) { $0 + $1.count } }

    /// The end of the range that begins at offset 0; 0 if there is none.
    package var frontier: Int64 { ranges.first.map { $0.start == 0 ? $0.end : 0 } ?? 0 }

    package mutating func insert(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        let first = lowerBound(endingAtOrAfter: range.start)
        var merged = range
        var last = first
        while last < ranges.count, ranges[last].start <= merged.end {
            merged = ByteRange(
                min(merged.start, ranges[last].start),
                max(merged.end, ranges[last].end)
            )
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(merged))
    }

    package mutating func remove(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        var kept: [ByteRange] = []
        kept.reserveCapacity(ranges.count + 1)
        for held in ranges {
            let before = ByteRange(held.start, min(held.end, range.start))
            let after = ByteRange(max(held.start, range.end), held.end)
            if !before.isEmpty { kept.append(before) }
            if !after.isEmpty { kept.append(after) }
        }
        ranges = kept
    }

    package mutating func formUnion(_ other: RangeSet) {
        for range in other.ranges { insert(range) }
    }

    package func intersection(_ other: RangeSet) -> RangeSet {
        var common = RangeSet()
        var left = ranges.startIndex
        var right = other.ranges.startIndex
        while left < ranges.endIndex, right < other.ranges.endIndex {
            common.insert(ranges[left].intersection(other.ranges[right]))
            if ranges[left].end < other.ranges[right].end { left += 1 } else { right += 1 }
        }
        return common
    }

    package func contains(_ range: ByteRange) -> Bool {
        guard !range.isEmpty else { return true }
        let index = lowerBound(endingAtOrAfter: range.end)
        return index < ranges.count && ranges[index].start <= range.start
    }

    /// Returns the offsets that are in `whole` and not in this set.
    package func gaps(in whole: ByteRange) -> RangeSet {
        var missing = RangeSet(whole)
        for range in ranges { missing.remove(range) }
        return missing
    }

    /// Returns the index of the first range whose end is at or after `offset`.
    private func lowerBound(endingAtOrAfter offset: Int64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].end < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
