/// A range that is claimed to be present, and a checksum of its last bytes that proves it.
package struct Claim: Hashable, Sendable {
    /// The maximum number of bytes at the end of a range that the checksum covers.
    package static let tailLength: Int64 = 4096

    package let range: ByteRange
    /// The first eight bytes of the SHA-256 of the tail.
    package let tail: UInt64

    package init(range: ByteRange, tail: UInt64) {
        self.range = range
        self.tail = tail
    }

    package static func tailRange(of range: ByteRange) -> ByteRange {
        ByteRange(range.end - min(tailLength, range.count), range.end)
    }
}
