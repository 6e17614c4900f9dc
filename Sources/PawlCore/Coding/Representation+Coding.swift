/// The form of a representation in checkpoints and resume data.
///
/// Both describe it; a change of it is a new version of both.
extension ByteWriter {
    package mutating func put(_ representation: Representation) {
        put(representation.total != nil)
        put(representation.total ?? 0)
        // A validator is compared as a whole: one too long to keep is none.
        let tag = representation.entityTag.flatMap { $0.opaque.isBounded ? $0 : nil }
        put(UInt8(tag.map { $0.isWeak ? 2 : 1 } ?? 0))
        put(tag?.opaque ?? "")
        put(optional: representation.lastModified)
        put(representation.lastModifiedIsOld)
        put(optional: representation.mediaType)
        put(optional: representation.contentEncoding)
        put(optional: representation.digest?.description)
    }

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
        default: throw MalformedBytes(what: "an unknown kind of entity tag")
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
            throw MalformedBytes(what: "a digest that is none")
        }
        return digest
    }
}

extension String {
    /// Whether it may be kept.
    package var isBounded: Bool { utf8.count <= CodingLimits.textLength }
}
