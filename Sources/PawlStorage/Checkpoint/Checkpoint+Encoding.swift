internal import PawlCore

extension Checkpoint {
    /// The encoded checkpoint without the sequence, which is in the slot's head.
    package var encoded: [UInt8] {
        var writer = ByteWriter(
            capacity: 512 + source.utf8.count + 24 * (writtenClaims.count + durableClaims.count)
        )
        writer.put(bootIdentity.bounded)
        writer.put(createdAt)
        writer.put(updatedAt)
        writer.put(source.bounded)
        writer.put(targetName.prefix(CheckpointLimits.textLength))
        writer.put(representation)
        writer.put(writtenClaims)
        writer.put(durableClaims)
        if let mark { writer.put(mark.text) }
        return writer.bytes
    }
}

extension String {
    /// The text, cut if it is too long.
    fileprivate var bounded: String {
        isBounded
            ? self : String(decoding: utf8.prefix(CheckpointLimits.textLength - 8), as: UTF8.self)
    }
}
