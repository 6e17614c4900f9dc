package import PawlCore

/// One checkpoint in its slot: a head with a checksum of everything, then the payload.
package enum CheckpointSlot {
    /// The length of the head: sequence, synced sequence, length, four bytes of zero, SHA-256.
    package static let headLength = 56
    private static let coveredLength = 24

    package struct Head: Hashable {
        package var sequence: UInt64
        /// The newest checkpoint in the file that was synced when this one was written.
        package var syncedSequence: UInt64

        package init(sequence: UInt64, syncedSequence: UInt64) {
            self.sequence = sequence
            self.syncedSequence = syncedSequence
        }
    }

    /// Returns the maximum payload of a slot.
    static func room(in slotSize: Int) -> Int { slotSize - headLength }

    package static func encode(_ head: Head, payload: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: headLength + payload.count)
        writer.put(head.sequence)
        writer.put(head.syncedSequence)
        writer.put(UInt32(clamping: payload.count))
        writer.put(UInt32(0))
        writer.append(checksum(of: writer.bytes[...], payload[...]))
        writer.append(payload)
        return writer.bytes
    }

    /// Decodes a slot.
    ///
    /// Throws if it was never written, is torn, or was made by hand and is impossible.
    package static func decode(_ slot: ArraySlice<UInt8>) throws(MalformedBytes) -> (
        Head, Checkpoint
    ) {
        var reader = ByteReader(slot)
        let covered = slot.prefix(coveredLength)
        let head = Head(sequence: try reader.number(), syncedSequence: try reader.number())
        let length = Int(clamping: try reader.number(UInt32.self))
        _ = try reader.number(UInt32.self)
        let checksum = try reader.take(SHA256.length)
        let payload = try reader.take(length)
        guard checksum.elementsEqual(self.checksum(of: covered, payload)) else {
            throw MalformedBytes(what: "torn")
        }
        // The highest number would leave none for the next checkpoint. 0 means that there is no
        // checkpoint.
        guard head.sequence > 0, head.sequence < .max, head.syncedSequence <= head.sequence else {
            throw MalformedBytes(what: "an impossible sequence")
        }
        return (head, try Checkpoint(sequence: head.sequence, payload: payload))
    }

    private static func checksum(
        of head: ArraySlice<UInt8>,
        _ payload: ArraySlice<UInt8>
    ) -> [UInt8] {
        (head + payload).withUnsafeBytes(SHA256.digest)
    }
}
