/// What a response must prove before its bytes are joined with the existing ones.
package enum SourceProof: Hashable, Sendable {
    /// The response is from the source of the pinned representation, and must agree with it.
    case unchanged
    /// The response is from another source with its own validators.
    ///
    /// `digest` is the digest given by the user, which proves the file at the end.
    ///
    /// `isOnSameServer`: whether the pinned source is on the same server, which makes the tags of
    /// both.
    case sameFile(digest: ContentDigest?, isOnSameServer: Bool = false)
}

extension Representation {
    /// Returns why `seen`, the response of another source, is not proven to be of this, the pinned
    /// representation; `nil` if it is.
    ///
    /// The lengths must be equal. In addition, one of the following must prove it: a digest (the
    /// user's, at the end, or one that both servers report), the same strong entity tag, or the
    /// same date, if it is old enough. Different tags prove nothing, because each server makes its
    /// own, unless both sources are on the same server.
    package func difference(
        toAnotherSource seen: Representation,
        digest: ContentDigest?,
        isOnSameServer: Bool = false
    ) -> String? {
        guard contentEncoding == nil, seen.contentEncoding == nil else {
            return "its response is encoded"
        }
        guard let total, let other = seen.total else {
            return "the length of its file is not known"
        }
        guard total == other else {
            return "its file has \(other) bytes instead of \(total)"
        }
        let known = [digest, self.digest].compactMap(\.self)
        for known in known where known.algorithm == seen.digest?.algorithm {
            return known == seen.digest ? nil : "its file has a different digest"
        }
        if digest == nil, isOnSameServer, isProvenOtherTag(seen) {
            return "its file has another ETag"
        }
        let isProven =
            hasSameStrongTag(seen)
            || hasStrongDate && seen.hasStrongDate && lastModified == seen.lastModified
        guard digest == nil, !isProven else { return nil }
        return "nothing proves that its file is the same (no equal ETag, date or digest)"
    }
}
