internal import GRDB
package import PawlWire

/// What is only asked for while somebody looks at one download.
extension StoreTransaction {
    /// The newest of one download, in order.
    package func events(
        ofDownload id: Int64,
        before: Int64? = nil,
        limit: Int
    ) throws -> WireEvents {
        let statement = try database.cachedStatement(
            sql: """
                SELECT * FROM event WHERE download = ? AND download > 0 AND id < ?
                ORDER BY id DESC LIMIT ?
                """
        )
        // One more tells whether there are more.
        let rows = try Row.fetchAll(statement, arguments: [id, before ?? .max, limit + 1])
        let events = Array(rows.prefix(limit).compactMap(Self.event).reversed())
        return WireEvents(events, next: rows.count > limit ? events.first?.id : nil)
    }
}
