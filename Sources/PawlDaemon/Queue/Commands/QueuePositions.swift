internal import PawlCore

/// The order of the queue as the store has recorded it.
final class QueuePositions {
    /// A command changes a copy, and sets it after the commit.
    private(set) var order = StartOrder()

    func set(_ order: StartOrder) { self.order = order }
}
