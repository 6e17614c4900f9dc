/// The digest that the file of a download must have, as its server or a checksum file beside it
/// has named it.
///
/// It stays when the download starts over from another source. Only the server that has named it
/// can replace it, because its file may have changed.
package struct DigestDemand: Hashable, Sendable {
    package let digest: ContentDigest
    /// The representation that the digest was named for.
    private let named: Representation
    /// The index of the source that has it; `nil` if that is not among the sources.
    private let source: Int?

    /// - Parameter named: The representation that the digest was named for.
    package init(_ digest: ContentDigest, of named: Representation, from source: Int?) {
        (self.digest, self.named, self.source) = (digest, named, source)
    }

    /// Whether a representation of a source replaces the one that the digest was named for.
    ///
    /// The requested URL, which is the first source, may always name another digest.
    package func isReplaced(by seen: Representation, from other: Int?) -> Bool {
        guard let source else { return true }
        if seen.digest != nil, other == source || other == 0 { return true }
        guard other == source else { return false }
        if case .changed = named.compare(seen) { return true }
        return named.contentEncoding != seen.contentEncoding
    }

    /// Returns why a representation of a source cannot be the file; `nil` if it may be, which the
    /// digest of its bytes then shows.
    package func refusal(
        of seen: Representation,
        from other: Int?,
        host: String
    ) -> DownloadError? {
        guard !isReplaced(by: seen, from: other) else { return nil }
        if let total = named.total, let other = seen.total, total != other {
            return DownloadError(
                .notTheFile,
                "the file of \(host) has \(other) bytes instead of \(total)",
                advice: "try another URL for the file",
                retryClass: .elsewhere
            )
        }
        guard let other = seen.digest, other.algorithm == digest.algorithm, other != digest else {
            return nil
        }
        return DownloadError(
            .checksumMismatch,
            "the file of \(host) has \(other) instead of the expected \(digest)",
            advice: "try another URL for the file",
            retryClass: .elsewhere
        )
    }
}
