/// Knows which slot holds which checkpoint, and where the next one may be written.
///
/// There are four slots, because up to three of them must not be overwritten: the newest one known
/// to be synced (a power cut may tear all later ones), the one being synced now (it is about to
/// become the former), and the newest one (a kill may tear the one being written).
package struct SlotTable: Hashable, Sendable {
    static let slotCount = 4

    /// The sequence in each slot; 0 is an empty or torn one.
    package private(set) var sequences: [UInt64]
    package private(set) var syncedSequence: UInt64
    private var syncingSequence: UInt64 = 0

    package init(sequences: [UInt64] = [], syncedSequence: UInt64 = 0) {
        self.sequences = Array(sequences.prefix(Self.slotCount))
        while self.sequences.count < Self.slotCount { self.sequences.append(0) }
        self.syncedSequence = syncedSequence
    }

    package var newestSequence: UInt64 { sequences.max() ?? 0 }

    /// The slot for the next checkpoint: the oldest of those that may be overwritten.
    package var nextSlot: Int {
        let kept = [newestSequence, syncedSequence, syncingSequence]
        let free = sequences.indices.filter { sequences[$0] == 0 || !kept.contains(sequences[$0]) }
        return free.min { sequences[$0] < sequences[$1] } ?? 0
    }

    /// Records, before the write, that the slot holds nothing.
    package mutating func writeBegan(in slot: Int) {
        sequences[slot] = 0
    }

    package mutating func writeEnded(in slot: Int, sequence: UInt64) {
        sequences[slot] = sequence
    }

    /// Records that the newest checkpoint is about to be synced.
    ///
    /// There is only one sync at a time.
    package mutating func syncBegan() -> UInt64 {
        syncingSequence = newestSequence
        return syncingSequence
    }

    package mutating func syncEnded(_ sequence: UInt64, succeeded: Bool) {
        if succeeded, sequences.contains(sequence) {
            syncedSequence = max(syncedSequence, sequence)
        }
        syncingSequence = 0
    }
}
