internal import GRDB
package import PawlWire

/// What is only asked for while somebody looks at one download.
extension StoreTransaction {
    /// The newest of one download, in order.
    package func events(ofDownload id: Int64, limit: Int) throws -> [WireEvent] {
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM event WHERE download = ? AND download > 0 ORDER BY id DESC LIMIT ?"
        )
        return try Row.fetchAll(statement, arguments: [id, limit]).compactMap(Self.event).reversed()
    }
}
