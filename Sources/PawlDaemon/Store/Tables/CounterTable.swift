/// The newest numbers of what is numbered in the order of the commits; no number is given twice,
/// even after what had it was deleted.
///
/// A transaction that takes numbers keeps others from taking any until its end, so it takes them
/// late.
struct CounterTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// What is numbered; each has a row, which is created with the table.
    enum Counter: String {
        case event, removal
    }

    /// Returns the newest number; 0 if none was given.
    func last(_ counter: Counter) throws -> Int64 {
        try value("SELECT value FROM counter WHERE name = ?", [counter.rawValue])
    }

    /// Returns all numbers by name: also those that count the changes of each `ChangeTopic`.
    func all() throws -> [String: Int64] {
        let values = try database.rows("SELECT name, value FROM counter") { row in
            (try row["name"] as String, try row["value"] as Int64)
        }
        return Dictionary(values, uniquingKeysWith: { first, _ in first })
    }

    /// Gives the next numbers; returns the last one of them.
    func take(_ count: Int, of counter: Counter) throws -> Int64 {
        try value(
            "UPDATE counter SET value = value + ? WHERE name = ? RETURNING value",
            [count, counter.rawValue]
        )
    }

    /// Gives the next number above this one.
    func raise(_ counter: Counter, to number: Int64) throws {
        try database.run(
            "UPDATE counter SET value = ?1 WHERE name = ?2 AND value < ?1",
            [number, counter.rawValue]
        )
    }

    private func value(_ sql: String, _ values: [(any SQLEncodable)?]) throws -> Int64 {
        let found: Int64? = try database.value(sql, values)
        // In a damaged store, the row may be missing.
        guard let found, found >= 0 else { throw WrongColumnType(column: "value") }
        return found
    }
}
