/// The content of a checkpoint file.
package enum CheckpointImage {
    /// The newest complete checkpoint, and the content of each slot.
    case sound(Checkpoint, slotSize: Int, SlotTable)
    case unusable(CheckpointFlaw)

    /// The maximum number of bytes that are read, which no checkpoint file exceeds.
    static let longest =
        CheckpointHeader.length + SlotTable.slotCount * CheckpointLimits.largestSlot

    package init(_ bytes: [UInt8]) {
        switch CheckpointHeader.read(Array(bytes.prefix(CheckpointHeader.length))) {
        case .foreign: self = .unusable(.foreign)
        case .newer(let version): self = .unusable(.newer(version))
        case .torn(let how): self = .unusable(.torn(how))
        case .sound(let header): self.init(bytes, slotSize: header.slotSize)
        }
    }

    private init(_ bytes: [UInt8], slotSize: Int) {
        var newest: (head: CheckpointSlot.Head, checkpoint: Checkpoint)?
        var sequences: [UInt64] = []
        for slot in 0..<SlotTable.slotCount {
            let start = CheckpointHeader.length + slot * slotSize
            let end = min(start + slotSize, bytes.count)
            // If one slot is empty or torn, the other slots are still used.
            let held = start < end ? try? CheckpointSlot.decode(bytes[start..<end]) : nil
            sequences.append(held?.0.sequence ?? 0)
            if let held, held.0.sequence > newest?.head.sequence ?? 0 { newest = held }
        }
        guard let newest else {
            self = .unusable(.torn("none of its slots is complete"))
            return
        }
        let table = SlotTable(sequences: sequences, syncedSequence: newest.head.syncedSequence)
        self = .sound(newest.checkpoint, slotSize: slotSize, table)
    }
}

/// The reason why a checkpoint file cannot be used.
package enum CheckpointFlaw: Hashable, Sendable {
    case torn(String)
    case foreign
    case newer(UInt32)
    /// The file is valid, but the user does not want to resume from it.
    case unwanted

    /// The end of a sentence that begins with the file's name.
    package var sentence: String {
        switch self {
        case .torn(let how): "is damaged: \(how)"
        case .foreign: "is not a checkpoint of Pawl"
        case .unwanted: "is not used, because resuming is turned off"
        case .newer(let version):
            "has version \(version) and was written by a newer Pawl (this one reads version "
                + "\(CheckpointHeader.currentVersion))"
        }
    }
}
