package import PawlCore
internal import Synchronization

/// The position at which one transfer writes.
///
/// The network's thread advances it; the driver reads it and may move the end.
///
/// Taking bytes away from a running transfer is one atomic store.
package final class TransferCursor: Sendable {
    private let startOffset: Atomic<Int64>
    private let offset: Atomic<Int64>
    /// The end, shifted by one bit, and whether it is proven.
    ///
    /// Both change at once.
    private let edge: Atomic<UInt64>
    private let comparing = Atomic<Bool>(false)
    /// The last end for which this transfer's bytes after it were equal to the existing ones.
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

    /// The end of a transfer.
    package struct Edge: Equatable {
        var end: Int64
        /// Whether the bytes after the end exist already and must be compared before the last byte
        /// counts.
        var isProven = false

        package init(end: Int64, isProven: Bool = false) {
            (self.end, self.isProven) = (end, isProven)
        }

        var word: UInt64 { UInt64(end) << 1 | (isProven ? 1 : 0) }
    }

    /// The written range that counts.
    ///
    /// The network's thread moves the offset after the write.
    package var written: ByteRange {
        let start = startOffset.load(ordering: .acquiring)
        return ByteRange(start, max(start, countedEnd))
    }

    /// Where the bytes end that count (`Seam.countedEnd`).
    package var countedEnd: Int64 {
        guard isComparing else { return position }
        let (edge, position) = (currentEdge, position)
        let isProven = !edge.isProven || proven.load(ordering: .acquiring) == edge.end
        return Seam.countedEnd(at: position, before: edge.end, isProven: isProven)
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

    /// Whether bytes that are read and not kept must equal the existing ones.
    var isComparing: Bool { comparing.load(ordering: .relaxed) }

    package func compares() { comparing.store(true, ordering: .relaxed) }

    /// Sets the position at which the kept bytes of a held transfer begin, before it continues.
    func begin(at position: Int64) {
        startOffset.store(position, ordering: .releasing)
        offset.store(position, ordering: .releasing)
    }

    /// The number of received bytes, each counted once: the written ones, and those that were read
    /// and not kept.
    var receivedBytes: Int64 { received.load(ordering: .relaxed) }

    /// The number of bytes that were read and not kept, because they exist already or are still in
    /// memory.
    var skippedBytes: Int64 { skipped.load(ordering: .relaxed) }

    func skip(_ count: Int) {
        skipped.add(Int64(count), ordering: .relaxed)
        received.add(Int64(count), ordering: .relaxed)
    }

    /// Records that the network's thread has written up to this position.
    package func moved(to position: Int64) {
        received.add(position - offset.load(ordering: .relaxed), ordering: .relaxed)
        offset.store(position, ordering: .releasing)
    }

    /// Records that the bytes after `end` were compared and are equal.
    package func proved(_ end: Int64) { proven.store(end, ordering: .releasing) }

    /// Records that all earlier bytes are written up to this position.
    func caughtUp(to position: Int64) { offset.store(position, ordering: .releasing) }

    /// Sets the time when bytes collected in memory should be in a file; `nil` if there are none.
    func collects(until moment: Moment?) {
        collectedUntil.store(moment?.nanoseconds ?? .max, ordering: .relaxed)
    }

    func isOverdue(at now: Moment) -> Bool {
        collectedUntil.load(ordering: .relaxed) <= now.nanoseconds
    }

    /// Whether the network's thread waits for `Transfer.resume()`, because the checkpoint is behind
    /// or the caller has suspended the download.
    package var isHeld: Bool { held.load(ordering: .acquiring) }

    /// Holds the transfer.
    ///
    /// Called by the network's thread; returns `false` if it need not wait.
    package func hold(while isNeeded: () -> Bool) -> Bool {
        guard isNeeded() else { return false }
        held.store(true, ordering: .sequentiallyConsistent)
        // The need may have ended between the check and the hold, when there was nothing to
        // release.
        return isNeeded() || !releaseHold()
    }

    /// Ends a hold.
    ///
    /// Returns `true` to the one thread that ended it, which must resume the transfer.
    package func releaseHold() -> Bool { held.exchange(false, ordering: .sequentiallyConsistent) }

    /// Whether the transfer is held back on our side.
    func isPaused(at now: Moment) -> Bool {
        isHeld || pausedUntil.load(ordering: .sequentiallyConsistent) > now.nanoseconds
    }

    func pause(until moment: Moment) {
        pausedUntil.store(moment.nanoseconds, ordering: .sequentiallyConsistent)
    }
}
