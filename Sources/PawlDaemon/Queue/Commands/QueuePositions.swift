/// The free positions at the beginning and the end of the queue.
final class QueuePositions {
    struct Free: Sendable {
        /// The lowest position that is used, or 0.
        var first: Int64 = 0
        /// The position of the next download to be added.
        var last: Int64 = 1
    }

    /// What the store has recorded; a command changes a copy and sets it after the commit.
    private(set) var free = Free()

    func set(_ free: Free) { self.free = free }

    /// Takes the positions that the downloads of the queue have.
    func load(_ positions: [Int64]) {
        free = Free(first: min(0, positions.min() ?? 0), last: (positions.max() ?? 0) + 1)
    }
}
