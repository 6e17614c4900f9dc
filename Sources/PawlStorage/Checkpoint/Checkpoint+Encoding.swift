internal import PawlCore

extension Checkpoint {
    /// All but the sequence, which stands in the slot's head.
    package var encoded: [UInt8] {
        var writer = ByteWriter(
            capacity: 512 + source.utf8.count + 24 * (writtenClaims.count + durableClaims.count)
        )
        writer.put(bootIdentity.bounded)
        writer.put(createdAt)
        writer.put(updatedAt)
        writer.put(source.bounded)
        writer.put(targetName.prefix(CheckpointLimits.textLength))
        representation.encode(into: &writer)
        writer.put(writtenClaims)
        writer.put(durableClaims)
        return writer.bytes
    }
}

extension Representation {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.put(total != nil)
        writer.put(total ?? 0)
        // A validator is compared as a whole: one too long to keep is none.
        let tag = entityTag.flatMap { $0.opaque.isBounded ? $0 : nil }
        writer.put(UInt8(tag.map { $0.isWeak ? 2 : 1 } ?? 0))
        writer.put(tag?.opaque ?? "")
        writer.put(optional: lastModified)
        writer.put(lastModifiedIsOld)
        writer.put(optional: mediaType)
        writer.put(optional: contentEncoding)
        writer.put(optional: digest?.description)
    }
}

extension ByteWriter {
    fileprivate mutating func put(optional text: String?) {
        let text = text.flatMap { $0.isBounded ? $0 : nil }
        put(text != nil)
        put(text ?? "")
    }

    fileprivate mutating func put(_ claims: [Claim]) {
        put(UInt32(clamping: claims.count))
        for claim in claims {
            put(claim.range.start)
            put(claim.range.end)
            put(claim.tail)
        }
    }
}

extension String {
    fileprivate var isBounded: Bool { utf8.count <= CheckpointLimits.textLength }

    /// Cut where it is too long.
    fileprivate var bounded: String {
        isBounded
            ? self : String(decoding: utf8.prefix(CheckpointLimits.textLength - 8), as: UTF8.self)
    }
}
