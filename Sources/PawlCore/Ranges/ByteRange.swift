/// The bytes from `start` up to, not including, `end`.
package struct ByteRange: Hashable, Sendable {
    package var start: Int64
    package var end: Int64

    /// Creates a range.
    ///
    /// An `end` before `start` makes it empty.
    package init(_ start: Int64, _ end: Int64) {
        self.start = start
        self.end = max(start, end)
    }

    package var count: Int64 { end - start }
    package var isEmpty: Bool { end <= start }

    package func intersection(_ other: ByteRange) -> ByteRange {
        ByteRange(max(start, other.start), min(end, other.end))
    }
}

extension ByteRange: CustomStringConvertible {
    /// The range as HTTP writes it, with an inclusive end (RFC 9110 §14.1.2).
    package var description: String {
        end == .max ? "\(start)-" : "\(start)-\(end - 1)"
    }
}
