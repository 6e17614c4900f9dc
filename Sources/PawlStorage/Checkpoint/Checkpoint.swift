package import PawlCore

/// The valid bytes of a partial file, their representation, and their source.
package struct Checkpoint: Hashable, Sendable {
    /// The number of the checkpoint.
    ///
    /// It rises with each one; the highest is the newest.
    package var sequence: UInt64 = 0
    /// The boot in which it was written; empty if the system did not report it.
    package var bootIdentity = ""
    /// The URL with its secrets hidden.
    ///
    /// It is for people and is not requested.
    package var source = ""
    /// The mark of the download's URL; `nil` in files of earlier versions.
    package var mark: SourceMark?
    /// The name of the finished file, as the bytes that the file system stores.
    package var targetName: [UInt8] = []
    package var representation = Representation()
    /// The time in seconds since 1970.
    package var createdAt: Int64 = 0
    package var updatedAt: Int64 = 0
    /// The ranges passed to the kernel.
    ///
    /// They survive the end of the process.
    package var writtenClaims: [Claim] = []
    /// The synced ranges.
    ///
    /// They survive a power cut.
    package var durableClaims: [Claim] = []

    package init() {}

    package var written: RangeSet { RangeSet(writtenClaims.lazy.map(\.range)) }
    package var durable: RangeSet { RangeSet(durableClaims.lazy.map(\.range)) }
}
