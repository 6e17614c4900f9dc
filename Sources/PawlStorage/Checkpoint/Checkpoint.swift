package import PawlCore

/// Which bytes of the partial file are good, of which representation, from where.
package struct Checkpoint: Hashable, Sendable {
    /// Counts up with each one written; the highest is the newest.
    package var sequence: UInt64 = 0
    /// The boot that wrote it; empty where the system did not say.
    package var bootIdentity = ""
    /// The URL, its secrets hidden.
    ///
    /// For people: it is not asked again.
    package var source = ""
    /// The name of the finished file, as the bytes that the file system keeps.
    package var targetName: [UInt8] = []
    package var representation = Representation()
    /// In seconds since 1970.
    package var createdAt: Int64 = 0
    package var updatedAt: Int64 = 0
    /// What the kernel had: it survives the end of the process.
    package var writtenClaims: [Claim] = []
    /// What was synced: it survives a power cut.
    package var durableClaims: [Claim] = []

    package init() {}

    package var written: RangeSet { RangeSet(writtenClaims.lazy.map(\.range)) }
    package var durable: RangeSet { RangeSet(durableClaims.lazy.map(\.range)) }
}

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
