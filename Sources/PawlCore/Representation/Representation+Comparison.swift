/// The result of comparing a response's validators with the pinned ones.
package enum RepresentationMatch: Hashable, Sendable {
    /// Nothing differs, and no pinned validator is missing without other proof.
    case same
    /// A validator differs.
    ///
    /// `onlyEntityTag`: total and Last-Modified equal the pinned ones.
    case changed(onlyEntityTag: Bool)
    /// Nothing differs, but a pinned validator is missing.
    case unproven(missing: String)
}

/// The reason why a whole answer is taken for an error page.
package enum WholeDoubt: Hashable, Sendable {
    /// It is a web page, although the pinned answer was of another type.
    case webPage
    /// It lacks this validator, which the pinned answer had, and no validator of the same kind
    /// proves another version.
    case missing(String)
    /// Its length differs from that of the pinned answer, and no validator proves another version.
    case otherLength(Int64?)
}

extension Representation {
    /// Compares this, the pinned representation, with that of a later response.
    ///
    /// Validators that were never pinned are ignored. If no total is pinned, any total agrees.
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

    /// Whether `seen` is proven to be this, the pinned representation, by validators that hold
    /// beyond a connection.
    package func isProvenSame(_ seen: Representation) -> Bool {
        guard validatorStrength == .strong, compare(seen) == .same,
            contentEncoding == seen.contentEncoding
        else { return false }
        let dateProves = lastModifiedIsOld && lastModified == seen.lastModified
        return tagMatchesStrongly(seen) || dateProves
    }

    /// Returns why `seen`, a whole answer, is not a version of this, the pinned representation;
    /// `nil` if it may be one.
    ///
    /// Only a different validator of the same kind proves a new version: error pages with status
    /// 200 have none.
    package func doubt(about seen: Representation) -> WholeDoubt? {
        if isProvenSame(seen) { return nil }
        if seen.isHTML, !isHTML, mediaType != nil { return .webPage }
        if tagDiffers(seen) || dateDiffers(seen) || digestDiffers(seen) { return nil }
        if entityTag != nil, seen.entityTag == nil { return .missing("ETag") }
        if lastModified != nil, seen.lastModified == nil { return .missing("Last-Modified") }
        guard validatorStrength == .none, seen.validatorStrength == .none, total != seen.total
        else { return nil }
        if seen.isHTML, !isHTML { return .webPage }
        // The pinned answer may have been an error page and this one the file, so only a possible
        // message is doubted.
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

    /// Whether `seen` agrees with this, the pinned representation, in everything except the entity
    /// tag, which it lacks.
    ///
    /// Length and date show that it is probably the same; only comparing the bytes proves it.
    package func hasLostOnlyEntityTag(in seen: Representation) -> Bool {
        guard total != nil, total == seen.total, entityTag != nil, seen.entityTag == nil,
            lastModified != nil, lastModified == seen.lastModified, mediaType == seen.mediaType,
            contentEncoding == nil, seen.contentEncoding == nil
        else { return false }
        return !digestDiffers(seen)
    }

    /// Whether this could be an error message of a server.
    private var mayBeMessage: Bool {
        guard let mediaType else { return true }
        return mediaType.hasPrefix("text/") || mediaType.hasSuffix("json")
            || mediaType.hasSuffix("xml")
    }

    private func dateDiffers(_ seen: Representation) -> Bool {
        guard let lastModified, let other = seen.lastModified else { return false }
        return lastModified != other
    }

    /// Whether the digests differ.
    ///
    /// Both are of the whole file, even in a partial response.
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
