internal import PawlCore

/// The order of the queue as the store has recorded it.
///
/// If several daemons share the queue, the database gives the positions, and nothing is known here.
final class QueuePositions {
    private var order = StartOrder()

    /// The positions that one transaction takes.
    struct Taking {
        fileprivate var order: StartOrder

        /// Returns a position before all others.
        mutating func takeFirst(_ transaction: StoreTransaction) throws -> Int64 {
            guard transaction.isShared else { return order.takeFirst() }
            return try transaction.positions.takeFirst()
        }

        /// Returns a position after all others.
        mutating func takeLast(_ transaction: StoreTransaction) throws -> Int64 {
            guard transaction.isShared else { return order.takeLast() }
            return try transaction.positions.takeLast(1).first ?? 0
        }

        /// Returns positions after all others, the lowest first.
        mutating func takeLast(
            _ count: Int,
            _ transaction: StoreTransaction
        ) throws -> [Int64] {
            guard transaction.isShared else { return (0..<count).map { _ in order.takeLast() } }
            return try transaction.positions.takeLast(count)
        }
    }

    /// A transaction that is about to begin takes positions from this value.
    var taking: Taking { Taking(order: order) }

    /// Records what a transaction has taken, after its commit.
    func committed(_ taking: Taking) { order = taking.order }

    func set(_ order: StartOrder) { self.order = order }
}
