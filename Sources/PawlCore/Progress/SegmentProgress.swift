/// A part of a file that one connection is fetching.
public struct SegmentProgress: Sendable, Hashable {
    /// The range of the file; up to `Int64.max` if the server does not report the size.
    ///
    /// The end moves closer if another connection takes over the rest.
    public let range: Range<Int64>
    /// The number of bytes written, from the beginning of the range.
    public let completedBytes: Int64

    init(range: Range<Int64>, completedBytes: Int64) {
        self.range = range
        self.completedBytes = completedBytes
    }

    package init(_ segment: SegmentMap.ConnectionRange) {
        range = segment.from..<(segment.to ?? .max)
        completedBytes = segment.position - segment.from
    }
}
