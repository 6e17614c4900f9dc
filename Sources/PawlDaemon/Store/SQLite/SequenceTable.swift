/// The highest ids that were given to downloads and events, as SQLite keeps them.
struct SequenceTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// The table whose rows the ids are of.
    enum Table: String {
        case download, event
    }

    /// Returns the highest id ever given; 0 if no row was ever added.
    func last(_ table: Table) throws -> Int64 {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?"
        return try database.value(sql, [table.rawValue]) ?? 0
    }

    /// Gives the next row an id above this one.
    func continueIDs(of table: Table, above id: Int64) throws {
        guard id > (try last(table)) else { return }
        try database.run("DELETE FROM sqlite_sequence WHERE name = ?", [table.rawValue])
        try database.run(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
            [table.rawValue, id]
        )
    }
}
