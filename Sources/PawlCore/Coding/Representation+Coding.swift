/// The encoding of a representation in checkpoints and resume data.
///
/// The formats of both describe it. A change here is a new version of both.
extension ByteWriter {
    package mutating func put(_ representation: Representation) {
        put(representation.total != nil)
        put(representation.total ?? 0)
        // A validator is compared as a whole, so one that is too long to store counts as absent.
        let tag = representation.entityTag.flatMap { $0.opaque.isBounded ? $0 : nil }
        put(UInt8(tag.map { $0.isWeak ? 2 : 1 } ?? 0))
        put(tag?.opaque ?? "")
        put(optional: representation.lastModified)
        put(representation.lastModifiedIsOld)
        put(optional: representation.mediaType)
        put(optional: representation.contentEncoding)
        put(optional: representation.digest?.description)
    }

    /// Writes an optional text.
    ///
    /// A text that is too long is left out.
    package mutating func put(optional text: String?) {
        let text = text.flatMap { $0.isBounded ? $0 : nil }
        put(text != nil)
        put(text ?? "")
    }
}

extension ByteReader {
    package mutating func representation() throws(MalformedBytes) -> Representation {
        var representation = Representation()
        let hasTotal = try flag()
        let total = try number(Int64.self)
        guard total >= 0 else { throw MalformedBytes(what: "a negative length") }
        if hasTotal { representation.total = total }
        let tagKind = try number(UInt8.self)
        let opaque = try text()
        switch tagKind {
        case 0: break
        case 1, 2: representation.entityTag = EntityTag(isWeak: tagKind == 2, opaque: opaque)
        default: throw MalformedBytes(what: "an entity tag of an unknown kind")
        }
        representation.lastModified = try optionalText()
        representation.lastModifiedIsOld = try flag()
        representation.mediaType = try optionalText()
        representation.contentEncoding = try optionalText()
        representation.digest = try optionalDigest()
        return representation
    }

    package mutating func optionalText() throws(MalformedBytes) -> String? {
        let isThere = try flag()
        let text = try text()
        return isThere ? text : nil
    }

    package mutating func optionalDigest() throws(MalformedBytes) -> ContentDigest? {
        guard let text = try optionalText() else { return nil }
        guard let digest = ContentDigest(parsing: text) else {
            throw MalformedBytes(what: "a digest is not valid")
        }
        return digest
    }
}

extension String {
    /// Whether the text is short enough to be stored.
    package var isBounded: Bool { utf8.count <= CodingLimits.textLength }
}
