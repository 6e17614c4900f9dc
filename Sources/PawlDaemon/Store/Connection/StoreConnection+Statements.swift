/// Statements with their parameters; each is compiled once and kept.
extension StoreConnection {
    func run(
        _ sql: String,
        _ values: [(any SQLEncodable)?] = [],
        isKept: Bool = true
    ) throws {
        try execute(sql, [SQLValue](parameters: values), isKept: isKept)
    }

    /// Adds rows to a table, each with a statement of its own.
    func fillEach(_ table: String, _ columns: String, _ rows: [[SQLValue]]) throws {
        guard let count = rows.first?.count else { return }
        let marks = [String](repeating: "?", count: count).joined(separator: ", ")
        let sql = "INSERT INTO \(table) (\(columns)) VALUES (\(marks))"
        for row in rows { try execute(sql, row, isKept: true) }
    }

    /// What a query of a single table ends with: in a transaction that may change something, no
    /// other transaction can then change the rows that the query returns.
    var rowLock: String { isWriting ? dialect.rowLock : "" }

    /// Runs an INSERT that returns the id of its only row (`RETURNING id`).
    func insert(_ sql: String, _ values: [(any SQLEncodable)?]) throws -> Int64 {
        guard let id: Int64 = try value(sql, values) else { throw WrongColumnType(column: "id") }
        return id
    }

    /// Returns the first column of the first row; `nil` if it is NULL, or if there is no row.
    func value<Value: SQLDecodable>(
        _ sql: String,
        _ values: [(any SQLEncodable)?] = []
    ) throws -> Value? {
        guard let row = try row(sql, values) else { return nil }
        return try row[0]
    }

    /// Returns the first column of all rows.
    func values<Value: SQLDecodable>(
        _ sql: String,
        _ values: [(any SQLEncodable)?] = []
    ) throws -> [Value] {
        try rows(sql, values) { row in try row[0] }
    }

    /// Returns the first row, and reads all others.
    func row(_ sql: String, _ values: [(any SQLEncodable)?] = []) throws -> StoreRow? {
        var first: StoreRow?
        try forEach(sql, [SQLValue](parameters: values), isKept: true) { row in
            if first == nil { first = row }
        }
        return first
    }

    /// Returns what `read` makes of each row.
    func rows<Value>(
        _ sql: String,
        _ values: [(any SQLEncodable)?] = [],
        isKept: Bool = true,
        as read: (StoreRow) throws -> Value
    ) throws -> [Value] {
        var result: [Value] = []
        try forEach(sql, [SQLValue](parameters: values), isKept: isKept) { row in
            result.append(try read(row))
        }
        return result
    }

    func rows(_ sql: String, _ values: [(any SQLEncodable)?] = []) throws -> [StoreRow] {
        try rows(sql, values) { row in row }
    }
}
