internal import PawlCore

extension Checkpoint {
    /// Takes nothing on trust: a payload whose checksum is right may still have been made by hand.
    package init(sequence: UInt64, payload: ArraySlice<UInt8>) throws(MalformedBytes) {
        self.init()
        var reader = ByteReader(payload)
        self.sequence = sequence
        bootIdentity = try reader.text()
        createdAt = try reader.number()
        updatedAt = try reader.number()
        source = try reader.text()
        targetName = Array(try reader.lengthAndBytes())
        representation = try reader.representation()
        writtenClaims = try reader.claims(within: representation.total)
        durableClaims = try reader.claims(within: representation.total)
        guard writtenClaims.count + durableClaims.count <= CheckpointLimits.ranges else {
            throw MalformedBytes(what: "too many ranges")
        }
        guard reader.isAtEnd else { throw MalformedBytes(what: "bytes behind the end") }
    }
}

extension ByteReader {
    fileprivate mutating func representation() throws(MalformedBytes) -> Representation {
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
        if let text = try optionalText() {
            guard let digest = ContentDigest(parsing: text) else {
                throw MalformedBytes(what: "a digest that is none")
            }
            representation.digest = digest
        }
        return representation
    }

    private mutating func optionalText() throws(MalformedBytes) -> String? {
        let isThere = try flag()
        let text = try text()
        return isThere ? text : nil
    }

    /// Sorted, apart from each other, not empty, within the whole.
    fileprivate mutating func claims(within total: Int64?) throws(MalformedBytes) -> [Claim] {
        let count = Int(clamping: try number(UInt32.self))
        guard count <= CheckpointLimits.ranges else {
            throw MalformedBytes(what: "too many ranges")
        }
        var claims: [Claim] = []
        var free: Int64 = 0
        for _ in 0..<count {
            let start = try number(Int64.self)
            let end = try number(Int64.self)
            let tail = try number(UInt64.self)
            guard start >= free, end > start, end <= total ?? .max else {
                throw MalformedBytes(what: "ranges that contradict each other")
            }
            claims.append(Claim(range: ByteRange(start, end), tail: tail))
            // Ranges that touch would be one range. An end of .max leaves no room for another.
            let (next, overflow) = end.addingReportingOverflow(1)
            free = overflow ? .max : next
        }
        return claims
    }
}
