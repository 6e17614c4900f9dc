/// A range that is said to be there, and a checksum of its last bytes to prove it by.
package struct Claim: Hashable, Sendable {
    /// How many bytes at a range's end the checksum covers, at most.
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
