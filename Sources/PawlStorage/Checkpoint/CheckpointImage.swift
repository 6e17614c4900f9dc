/// What the bytes of a checkpoint file say.
package enum CheckpointImage {
    /// The newest whole checkpoint, and what is in which slot.
    case sound(Checkpoint, slotSize: Int, SlotTable)
    case unusable(CheckpointFlaw)

    /// More bytes than any checkpoint file has are not read.
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
            // An empty or torn slot is what the other slots are for.
            let held = start < end ? try? CheckpointSlot.decode(bytes[start..<end]) : nil
            sequences.append(held?.0.sequence ?? 0)
            if let held, held.0.sequence > newest?.head.sequence ?? 0 { newest = held }
        }
        guard let newest else {
            self = .unusable(.torn("none of its slots is whole"))
            return
        }
        let table = SlotTable(sequences: sequences, syncedSequence: newest.head.syncedSequence)
        self = .sound(newest.checkpoint, slotSize: slotSize, table)
    }
}

/// Why a checkpoint file cannot be used.
package enum CheckpointFlaw: Hashable, Sendable {
    case torn(String)
    case foreign
    case newer(UInt32)
    /// Nothing is wrong with it but that the user does not want it.
    case unwanted

    /// As the end of a sentence that begins with the file.
    package var sentence: String {
        switch self {
        case .torn(let how): "is damaged: \(how)"
        case .foreign: "is not a checkpoint of Pawl's"
        case .unwanted: "is not to be gone on with"
        case .newer(let version):
            "is of version \(version), which a newer Pawl wrote (this one knows version "
                + "\(CheckpointHeader.currentVersion))"
        }
    }
}
