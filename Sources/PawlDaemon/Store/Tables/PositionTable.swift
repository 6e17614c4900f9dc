/// The positions of the queue in a database that several daemons share: sequences, so that no daemon
/// waits for another one's commit.
package struct PositionTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns a position before all that were taken.
    package func takeFirst() throws -> Int64 {
        let taken: Int64? = try database.value("SELECT nextval('positionFirst')")
        guard let taken else { throw WrongColumnType(column: "position") }
        return taken
    }

    /// Returns positions after all that were taken, the lowest first.
    package func takeLast(_ count: Int) throws -> [Int64] {
        let taken: [Int64] = try database.values(
            "SELECT nextval('positionLast') FROM generate_series(1, CAST(? AS bigint))",
            [count]
        )
        return taken.sorted()
    }
}
