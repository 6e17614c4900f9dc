package import PawlCore
internal import Synchronization

/// Where one transfer writes: shared by the network's thread, which moves it, and the driver, which
/// reads it and may move the end.
///
/// Taking bytes away from a running transfer is one store.
package final class TransferCursor: Sendable {
    private let startOffset: Atomic<Int64>
    private let offset: Atomic<Int64>
    /// The end, shifted by one bit, and whether it is proven: both change at once.
    private let edge: Atomic<UInt64>
    private let comparing = Atomic<Bool>(false)
    /// The last end behind which this transfer's bytes were those that are there.
    private let proven = Atomic<Int64>(-1)
    private let held = Atomic<Bool>(false)
    private let pausedUntil = Atomic<Int64>(0)
    private let skipped = Atomic<Int64>(0)
    private let received = Atomic<Int64>(0)
    private let collectedUntil = Atomic<Int64>(.max)

    package init(start: Int64, end: Int64) {
        startOffset = Atomic(start)
        offset = Atomic(start)
        edge = Atomic(Edge(end: end).word)
    }

    /// Where a transfer ends.
    package struct Edge: Equatable {
        var end: Int64
        /// Whether what lies behind the end is there already, and is to be compared before the last
        /// byte counts.
        var isProven = false

        package init(end: Int64, isProven: Bool = false) {
            (self.end, self.isProven) = (end, isProven)
        }

        var word: UInt64 { UInt64(end) << 1 | (isProven ? 1 : 0) }
    }

    /// What was written and counts.
    ///
    /// The network's thread moves the offset after the write.
    package var written: ByteRange {
        let start = startOffset.load(ordering: .acquiring)
        return ByteRange(start, max(start, countedEnd))
    }

    /// Behind the last byte that counts.
    ///
    /// Where bytes are compared, those behind the end are its neighbour's to bring, and the last one
    /// before them counts once what follows it was compared. A transfer that had passed its end
    /// before that was set has compared nothing there.
    package var countedEnd: Int64 {
        guard isComparing else { return position }
        let (edge, position) = (currentEdge, position)
        let isUnproven = edge.isProven && proven.load(ordering: .acquiring) != edge.end
        return min(position, isUnproven ? edge.end - 1 : edge.end)
    }

    package var position: Int64 { offset.load(ordering: .acquiring) }

    package var end: Int64 {
        get { currentEdge.end }
        set { currentEdge = Edge(end: newValue) }
    }

    package var currentEdge: Edge {
        get {
            let word = edge.load(ordering: .acquiring)
            return Edge(end: Int64(word >> 1), isProven: word & 1 == 1)
        }
        set { edge.store(newValue.word, ordering: .releasing) }
    }

    /// Whether bytes that are read and not kept must be what is there.
    var isComparing: Bool { comparing.load(ordering: .relaxed) }

    package func compares() { comparing.store(true, ordering: .relaxed) }

    /// Before a held transfer goes on: where its kept bytes begin.
    func begin(at position: Int64) {
        startOffset.store(position, ordering: .releasing)
        offset.store(position, ordering: .releasing)
    }

    /// All that came, each byte once: what is written, and what was read and not kept.
    var receivedBytes: Int64 { received.load(ordering: .relaxed) }

    /// Bytes that were read and not kept, as they are there already or still in memory.
    var skippedBytes: Int64 { skipped.load(ordering: .relaxed) }

    func skip(_ count: Int) {
        skipped.add(Int64(count), ordering: .relaxed)
        received.add(Int64(count), ordering: .relaxed)
    }

    /// The network's thread has written up to there.
    package func moved(to position: Int64) {
        received.add(position - offset.load(ordering: .relaxed), ordering: .relaxed)
        offset.store(position, ordering: .releasing)
    }

    /// What follows `end` was compared with what is there.
    package func proved(_ end: Int64) { proven.store(end, ordering: .releasing) }

    /// What came before is written up to there.
    func caughtUp(to position: Int64) { offset.store(position, ordering: .releasing) }

    /// When bytes that are collected in memory should be in a file; nil where none are.
    func collects(until moment: Moment?) {
        collectedUntil.store(moment?.nanoseconds ?? .max, ordering: .relaxed)
    }

    func isOverdue(at now: Moment) -> Bool {
        collectedUntil.load(ordering: .relaxed) <= now.nanoseconds
    }

    /// Whether the network's thread waits for `Transfer.resume()`: the checkpoint is behind, or the
    /// caller has suspended the download.
    package var isHeld: Bool { held.load(ordering: .acquiring) }

    /// Called by the network's thread: false where it need not wait.
    package func hold(while isNeeded: () -> Bool) -> Bool {
        guard isNeeded() else { return false }
        held.store(true, ordering: .sequentiallyConsistent)
        // Who ended the need between that look and the hold has found nobody to let go.
        return isNeeded() || !letGo()
    }

    /// Ends a hold; true for the one thread that did, which sees to it that the transfer goes on.
    package func letGo() -> Bool { held.exchange(false, ordering: .sequentiallyConsistent) }

    /// Whether we hold the transfer back ourselves.
    func isPaused(at now: Moment) -> Bool {
        isHeld || pausedUntil.load(ordering: .sequentiallyConsistent) > now.nanoseconds
    }

    func pause(until moment: Moment) {
        pausedUntil.store(moment.nanoseconds, ordering: .sequentiallyConsistent)
    }
}
