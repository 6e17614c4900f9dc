/// What comparing a response's validators with the pinned ones gives.
package enum RepresentationMatch: Hashable, Sendable {
    /// Nothing differs, and nothing that was pinned is missing without proof.
    case same
    /// `onlyEntityTag`: total and Last-Modified are the pinned ones.
    case changed(onlyEntityTag: Bool)
    /// Nothing differs, but a validator that was pinned is missing.
    case unproven(missing: String)
}

/// Why a whole answer is taken for an error page.
package enum WholeDoubt: Hashable, Sendable {
    /// A web page, where the pinned answer was something else.
    case webPage
    /// The pinned answer had this, and no validator of the same kind proves another version.
    case missing(String)
    /// Another length than that of the pinned answer, and no validator proves another version.
    case otherLength(Int64?)
}

extension Representation {
    /// Compares this, the pinned one, with what a later response says.
    ///
    /// A validator that was never pinned is not asked for; a total that is not pinned yet agrees
    /// with any.
    package func compare(_ seen: Representation) -> RepresentationMatch {
        let sameTotal = total == nil || total == seen.total
        let sameDate = lastModified == nil || lastModified == seen.lastModified
        let dateDiffers = !sameDate && seen.lastModified != nil
        if digestDiffers(seen) { return .changed(onlyEntityTag: false) }
        if tagDiffers(seen) {
            return .changed(
                onlyEntityTag: total == seen.total && lastModified == seen.lastModified
            )
        }
        if !sameTotal || dateDiffers { return .changed(onlyEntityTag: false) }
        if entityTag != nil, seen.entityTag == nil { return .unproven(missing: "ETag") }
        if !sameDate, !tagMatchesStrongly(seen) { return .unproven(missing: "Last-Modified") }
        return .same
    }

    /// Whether `seen` is this, the pinned one, proven by validators that hold beyond a connection.
    package func isProvenSame(_ seen: Representation) -> Bool {
        guard validatorStrength == .strong, compare(seen) == .same,
            contentEncoding == seen.contentEncoding
        else { return false }
        let dateProves = lastModifiedIsOld && lastModified == seen.lastModified
        return tagMatchesStrongly(seen) || dateProves
    }

    /// Why `seen`, a whole answer, is no version of this, the pinned one; nil if it may be one.
    ///
    /// Only a validator of the same kind that differs proves a new version: error pages with status
    /// 200 carry none.
    package func doubt(about seen: Representation) -> WholeDoubt? {
        if isProvenSame(seen) { return nil }
        if seen.isHTML, !isHTML, mediaType != nil { return .webPage }
        if tagDiffers(seen) || dateDiffers(seen) || digestDiffers(seen) { return nil }
        if entityTag != nil, seen.entityTag == nil { return .missing("ETag") }
        if lastModified != nil, seen.lastModified == nil { return .missing("Last-Modified") }
        guard validatorStrength == .none, seen.validatorStrength == .none, total != seen.total
        else { return nil }
        if seen.isHTML, !isHTML { return .webPage }
        // What was pinned may be the error page, and this the file: only a message is doubted.
        guard let mediaType, mediaType != seen.mediaType, seen.mayBeMessage, !mayBeMessage
        else { return nil }
        return .missing("Content-Type \(mediaType)")
    }

    /// Whether `seen` is a whole answer of another length, without a validator that proves another
    /// version.
    package func differsOnlyInLength(from seen: Representation) -> Bool {
        guard let total, total != seen.total else { return false }
        return !tagDiffers(seen) && !dateDiffers(seen) && !digestDiffers(seen)
    }

    /// Whether all that `seen` says is what this, the pinned one, says, but for the entity tag, which it
    /// does not name.
    ///
    /// Length and date say that it is most likely the same; only comparing the bytes proves it.
    package func hasLostOnlyEntityTag(in seen: Representation) -> Bool {
        guard total != nil, total == seen.total, entityTag != nil, seen.entityTag == nil,
            lastModified != nil, lastModified == seen.lastModified, mediaType == seen.mediaType,
            contentEncoding == nil, seen.contentEncoding == nil
        else { return false }
        return !digestDiffers(seen)
    }

    /// Whether this could be what a server says of an error.
    private var mayBeMessage: Bool {
        guard let mediaType else { return true }
        return mediaType.hasPrefix("text/") || mediaType.hasSuffix("json")
            || mediaType.hasSuffix("xml")
    }

    private func dateDiffers(_ seen: Representation) -> Bool {
        guard let lastModified, let other = seen.lastModified else { return false }
        return lastModified != other
    }

    /// Both digests are of the whole, in a part too.
    private func digestDiffers(_ seen: Representation) -> Bool {
        guard let digest, let other = seen.digest, digest.algorithm == other.algorithm else {
            return false
        }
        return digest != other
    }

    private func tagDiffers(_ seen: Representation) -> Bool {
        guard let entityTag, let other = seen.entityTag else { return false }
        return !entityTag.matchesWeakly(other)
    }

    private func tagMatchesStrongly(_ seen: Representation) -> Bool {
        guard let entityTag, let other = seen.entityTag else { return false }
        return entityTag.matchesStrongly(other)
    }
}
