/// The description of a file in a document, such as the Metalink that the file's server names.
package struct FileDescription: Hashable, Sendable {
    package var size: Int64?
    /// The digest of the whole file.
    package var digest: ContentDigest?
    package var pieces: PieceDigests?
    /// The URLs of the file, the best first.
    package var sources: [String] = []

    package init() {}

    /// Whether the document may be about a file with this size and this digest.
    ///
    /// Digests of different algorithms cannot be compared.
    package func mayDescribe(total: Int64, digest other: ContentDigest?) -> Bool {
        guard size == nil || size == total else { return false }
        guard let digest, let other, digest.algorithm == other.algorithm else { return true }
        return digest == other
    }
}
