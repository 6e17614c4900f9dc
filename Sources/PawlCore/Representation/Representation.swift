/// A specific version of a file, as the first good response described it.
package struct Representation: Hashable, Sendable {
    /// The length of the whole file; `nil` if the server does not report it.
    package var total: Int64?
    package var entityTag: EntityTag?
    /// The field as received.
    ///
    /// It is compared as text, because servers may use any form.
    package var lastModified: String?
    /// Whether `Last-Modified` was at least one second older than `Date` (RFC 9110 §8.8.2.2).
    package var lastModifiedIsOld = false
    package var mediaType: String?
    /// The coding if it is not identity: the bytes are in an encoding that was not requested.
    package var contentEncoding: String?
    /// The digest of the whole file according to the server, if any; the strongest of several.
    package var digest: ContentDigest?

    package init(total: Int64? = nil) { self.total = total }

    /// Creates the representation of the whole file from the head of a 200 or 206.
    package init(head: ResponseHead) {
        self.init(total: Self.total(of: head))
        entityTag = head["ETag"].flatMap { EntityTag(lenient: $0) }
        lastModified = head["Last-Modified"].map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
        lastModifiedIsOld = Self.isOld(lastModified, at: head["Date"])
        mediaType = Self.mediaType(head["Content-Type"])
        contentEncoding = Self.contentEncoding(head["Content-Encoding"])
        digest = ServerDigests.parse(head).first
        if head.decoding == .decoded { describeDecoded() }
    }

    /// Drops what describes the encoded bytes: no range of them can be requested.
    private mutating func describeDecoded() {
        (total, entityTag, contentEncoding, digest) = (nil, nil, nil, nil)
        lastModifiedIsOld = false
    }

    /// Whether this could be an HTML page.
    package var isHTML: Bool {
        mediaType == "text/html" || mediaType == "application/xhtml+xml"
    }

    private static func total(of head: ResponseHead) -> Int64? {
        if head.status == 206 {
            guard let field = head["Content-Range"],
                case .part(_, let total) = ContentRange(parsing: field)
            else { return nil }
            return total
        }
        guard case .sound(let length) = BodyFraming(of: head) else { return nil }
        return length
    }

    private static func isOld(_ lastModified: String?, at date: String?) -> Bool {
        guard let lastModified, let date, let modified = HTTPDate(parsing: lastModified),
            let sent = HTTPDate(parsing: date)
        else { return false }
        return sent.secondsSince1970 - modified.secondsSince1970 >= 1
    }

    private static func mediaType(_ field: String?) -> String? {
        let bytes = field?.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let type = bytes.map { Substring($0).trimmed.lowercased() } ?? ""
        return type.isEmpty ? nil : type
    }

    package static func contentEncoding(_ field: String?) -> String? {
        guard let field else { return nil }
        let codings = field.listMembers.map { $0.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    // MARK: - Comparison

    package var validatorStrength: ValidatorStrength {
        if entityTag?.isStrong == true || hasStrongDate { return .strong }
        return entityTag == nil && lastModified == nil ? .none : .weak
    }

    /// Whether the date identifies a version: build tools set the epoch on every version of a file.
    var hasStrongDate: Bool {
        guard lastModifiedIsOld, let date = lastModified.flatMap({ HTTPDate(parsing: $0) }) else {
            return false
        }
        return date.secondsSince1970 > 86_400
    }

    /// Compares this, the pinned representation, with that of a later response.
    ///
    /// Validators that were never pinned are ignored. If one of the totals is not known, they
    /// agree.
    package func compare(_ seen: Representation) -> RepresentationMatch {
        let sameTotal = total == nil || seen.total == nil || total == seen.total
        let sameDate = lastModified == nil || lastModified == seen.lastModified
        if digestDiffers(seen) { return .changed(onlyEntityTag: false) }
        if tagDiffers(seen) {
            return .changed(
                onlyEntityTag: total == seen.total && lastModified == seen.lastModified
            )
        }
        if !sameTotal || dateDiffers(seen) { return .changed(onlyEntityTag: false) }
        if entityTag != nil, seen.entityTag == nil { return .unproven(missing: "ETag") }
        if entityTag?.isStrong == true, !hasSameStrongValidator(seen) {
            return .unproven(missing: "strong ETag")
        }
        if !sameDate, !hasSameStrongTag(seen) { return .unproven(missing: "Last-Modified") }
        return .same
    }

    /// Whether `seen` is proven to be this, the pinned representation, by validators that hold
    /// beyond a connection.
    package func isProvenSame(_ seen: Representation) -> Bool {
        compare(seen) == .same && contentEncoding == seen.contentEncoding
            && hasSameStrongValidator(seen)
    }

    /// Whether `seen` is proven to be another version than this, the pinned representation.
    ///
    /// Only a different validator of the same kind proves that; a weak tag, a length or an encoding
    /// does not.
    private func isProvenOther(_ seen: Representation) -> Bool {
        isProvenOtherTag(seen) || dateDiffers(seen) || digestDiffers(seen)
    }

    /// Whether both have strong entity tags, which differ.
    func isProvenOtherTag(_ seen: Representation) -> Bool {
        entityTag?.isStrong == true && seen.entityTag?.isStrong == true && tagDiffers(seen)
    }

    /// Returns why `seen`, a whole response, is neither this, the pinned representation, nor another
    /// version of it; `nil` if it may be one.
    ///
    /// Error pages with status 200 seldom have validators. `isGivenUp`: whether this was given up,
    /// so that there are no bytes to keep.
    package func doubt(about seen: Representation, isGivenUp: Bool = false) -> Doubt? {
        if isProvenSame(seen) { return nil }
        if seen.isHTML, !isHTML, mediaType != nil { return .webPage }
        if isProvenOther(seen) { return nil }
        if entityTag != nil, seen.entityTag == nil { return .missing("ETag") }
        if lastModified != nil, seen.lastModified == nil { return .missing("Last-Modified") }
        if total != seen.total || tagDiffers(seen), let doubt = errorPageDoubt(about: seen) {
            return doubt
        }
        guard !isGivenUp, contentEncoding == nil, let coding = seen.contentEncoding else {
            return nil
        }
        return .encoded(coding)
    }

    /// Returns why `seen`, which may be another version than this, the pinned representation, has
    /// to be confirmed by another response; `nil` if it need not.
    package func unprovenChange(in seen: Representation) -> Doubt? {
        if isProvenSame(seen) { return nil }
        if isProvenOther(seen) {
            // An error page may have validators of its own.
            if contentEncoding == nil, let coding = seen.contentEncoding { return .encoded(coding) }
            return errorPageDoubt(about: seen)
        }
        if let total, total != seen.total { return .otherLength(seen.total) }
        return tagDiffers(seen) ? .otherWeakTag : nil
    }

    /// Whether `seen` is this, the pinned representation, by its validators, although it has
    /// another length.
    package func isContradicted(by seen: Representation) -> Bool {
        guard let total, let other = seen.total else { return false }
        return total != other && contentEncoding == seen.contentEncoding
            && !isProvenOther(seen) && !tagDiffers(seen) && hasSameStrongValidator(seen)
    }

    /// Whether `seen` agrees with this, the pinned representation, in everything except the strong
    /// entity tag, which it lacks or sends as a weak one.
    ///
    /// Length, date and media type, or length, date and the weak form of the tag, show that it is
    /// probably the same; only comparing the bytes proves it.
    package func hasLostOnlyEntityTag(in seen: Representation) -> Bool {
        guard let total, total == seen.total, let entityTag, lastModified == seen.lastModified,
            contentEncoding == nil, seen.contentEncoding == nil, isHTML || !seen.isHTML,
            !digestDiffers(seen), !isProvenSame(seen)
        else { return false }
        guard let other = seen.entityTag else {
            return lastModified != nil && mediaType == seen.mediaType
        }
        return entityTag.isStrong && !other.isStrong && entityTag.matchesWeakly(other)
    }

    /// Returns why `seen` may be an error message; `nil` if it is not.
    ///
    /// This may have been an error message and `seen` the file, so only a possible message is
    /// doubted.
    func errorPageDoubt(about seen: Representation) -> Doubt? {
        if seen.isHTML, !isHTML { return .webPage }
        guard let mediaType, mediaType != seen.mediaType, seen.mayBeMessage, !mayBeMessage
        else { return nil }
        return .missing("Content-Type \(mediaType)")
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

    func hasSameStrongTag(_ seen: Representation) -> Bool {
        guard let entityTag, let other = seen.entityTag else { return false }
        return entityTag.matchesStrongly(other)
    }

    private func hasSameStrongValidator(_ seen: Representation) -> Bool {
        hasSameStrongTag(seen) || hasStrongDate && lastModified == seen.lastModified
    }
}
