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
    /// Whose download it is, as far as its URL tells; nil in files of earlier versions.
    package var mark: SourceMark?
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
