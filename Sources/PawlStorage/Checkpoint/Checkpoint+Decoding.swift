package import PawlCore

extension Checkpoint {
    /// Decodes a payload.
    ///
    /// Nothing is trusted: a payload with a correct checksum may still be made by hand.
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
        if !reader.isAtEnd {
            let text = try reader.text()
            guard let mark = SourceMark(text: text) else {
                throw MalformedBytes(what: "a mark of an unknown form")
            }
            self.mark = mark
        }
        guard reader.isAtEnd else { throw MalformedBytes(what: "bytes after the end") }
    }
}
