/// A part of a file that one connection is fetching.
public struct SegmentProgress: Sendable, Hashable {
    /// Which bytes of the file; up to `Int64.max` where the server does not say how many there are.
    ///
    /// The end comes nearer where another connection takes over what is behind it.
    public let range: Range<Int64>
    /// How many of them were written, from the beginning of the range.
    public let completedBytes: Int64

    package init(_ written: ByteRange, end: Int64) {
        range = written.start..<max(written.start, end)
        completedBytes = written.count
    }
}
