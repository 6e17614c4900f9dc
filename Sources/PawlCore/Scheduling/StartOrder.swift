/// The order in which the downloads of a queue start (pure).
///
/// Each download has a position, and the lowest starts first among those of the same priority.
/// Positions have gaps and are never reused, so that only a move between two downloads changes the
/// positions of others.
package struct StartOrder: Sendable, Hashable {
    /// The lowest position that is used, or 0.
    private var first: Int64
    /// The next position after all that are used.
    private var next: Int64

    /// Creates the order of downloads that have these positions.
    package init(_ positions: [Int64] = []) {
        first = min(0, positions.min() ?? 0)
        next = (positions.max() ?? 0) + 1
    }

    /// Returns a position before all others.
    package mutating func takeFirst() -> Int64 {
        first -= 1
        return first
    }

    /// Returns a position after all others.
    package mutating func takeLast() -> Int64 {
        defer { next += 1 }
        return next
    }

    /// A download with its position.
    package struct Item: Sendable, Hashable {
        package let id: Int64
        package let position: Int64

        package init(_ id: Int64, at position: Int64) { (self.id, self.position) = (id, position) }
    }

    /// Moves a download directly before another; those between them move by one position.
    ///
    /// - Parameter downloads: The two downloads and all between them, in their order.
    /// - Returns: The downloads whose positions change, with their new positions.
    package static func moving(
        _ id: Int64,
        before other: Int64,
        in downloads: [Item]
    ) -> [Item] {
        var order = downloads.map(\.id).filter { $0 != id }
        order.insert(id, at: order.firstIndex(of: other) ?? order.endIndex)
        let changed = zip(order, downloads).filter { $0.0 != $0.1.id }
        return changed.map { Item($0.0, at: $0.1.position) }
    }
}
