/// What a response must prove before its bytes are joined with those that are there.
package enum SourceProof: Hashable, Sendable {
    /// It is of the source that said what is pinned: it must say the same.
    case unchanged
    /// It is of another source, whose validators are its own. `digest`: the one that the user named,
    /// which proves the file at the end.
    case sameFile(digest: ContentDigest?)
}

extension Representation {
    /// Why `seen`, the answer of another source, is not proven to be of this, the pinned one; nil
    /// where it is.
    ///
    /// The lengths must be equal. Then a digest proves it (the user's, at the end; or the servers',
    /// which both name), the same strong entity tag, or the same old enough date. Tags that differ
    /// say nothing: servers make them of what is their own.
    package func difference(
        toAnotherSource seen: Representation,
        digest: ContentDigest?
    ) -> String? {
        guard contentEncoding == nil, seen.contentEncoding == nil else {
            return "what it sends is encoded"
        }
        guard let total, let other = seen.total else { return "its length is not known" }
        guard total == other else {
            return "its file has \(other) bytes where \(total) are expected"
        }
        let known = [digest, self.digest].compactMap(\.self)
        for known in known where known.algorithm == seen.digest?.algorithm {
            return known == seen.digest ? nil : "its file has another digest"
        }
        guard digest == nil, !hasSameStrongTag(seen), !hasSameDate(seen) else { return nil }
        return "nothing proves that its file is the same (no equal ETag, date or digest)"
    }

    private func hasSameStrongTag(_ seen: Representation) -> Bool {
        guard let entityTag, let other = seen.entityTag else { return false }
        return entityTag.matchesStrongly(other)
    }

    /// A date at the epoch is one that a build tool set, on every version of the file.
    private func hasSameDate(_ seen: Representation) -> Bool {
        guard lastModifiedIsOld, seen.lastModifiedIsOld, lastModified == seen.lastModified,
            let date = lastModified.flatMap({ HTTPDate(parsing: $0) })
        else { return false }
        return date.secondsSince1970 > 86_400
    }
}
