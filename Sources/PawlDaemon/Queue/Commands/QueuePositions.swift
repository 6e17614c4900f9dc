internal import PawlCore

/// The order of the queue as the store has recorded it.
final class QueuePositions {
    /// A command changes a copy, and sets it after the commit.
    ///
    /// Visible to the commands and lists, which need the sequence.
    private(set) var order = StartOrder()

    func set(_ order: StartOrder) { self.order = order }
}
