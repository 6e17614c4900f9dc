internal import CPostgres

/// The result of one statement: its rows, or the number of rows that it changed.
package struct PostgresResult: Sendable {
    /// libpq's memory, which nobody changes.
    fileprivate final class Memory: @unchecked Sendable {
        let raw: OpaquePointer
        /// The index of each column by its name; of several with one name, the first.
        let columns: [String: Int32]

        init(_ raw: OpaquePointer) {
            self.raw = raw
            columns = Dictionary(
                (0..<PQnfields(raw)).map { (String(cString: PQfname(raw, $0)), $0) },
                uniquingKeysWith: { first, _ in first }
            )
        }

        deinit { PQclear(raw) }
    }

    private let memory: Memory

    /// The names of the columns, from left to right.
    package var columnNames: [String] {
        (0..<PQnfields(memory.raw)).map { String(cString: PQfname(memory.raw, $0)) }
    }

    /// Takes over the memory of a result.
    init(_ raw: OpaquePointer) { memory = Memory(raw) }

    /// The number of rows that the statement returned.
    package var rowCount: Int { Int(PQntuples(memory.raw)) }

    /// The number of rows that the statement inserted, changed, deleted, copied or returned.
    package var affectedRows: Int {
        // It is empty for statements without such a number.
        Int(String(cString: PQcmdTuples(memory.raw))) ?? 0
    }

    package var rows: [PostgresRow] { (0..<rowCount).map(row) }

    /// The first row, or `nil` if there is none.
    package var first: PostgresRow? { rowCount > 0 ? row(0) : nil }

    private func row(_ index: Int) -> PostgresRow { PostgresRow(memory: memory, index: index) }
}

/// A row of a result.
package struct PostgresRow: Sendable {
    fileprivate let memory: PostgresResult.Memory
    fileprivate let index: Int

    /// Returns the value of a column.
    ///
    /// PostgreSQL converts names without quotes to lower case, so a name that no column has is also
    /// searched in lower case.
    package func value<Value: PostgresDecodable>(
        _ column: String,
        as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard let found = memory.columns[column] ?? memory.columns[column.lowercased()] else {
            throw PostgresError(.unusableValue, "the result has no column \(column)")
        }
        return try value(Int(found))
    }

    /// Returns the value of a column by its index, which starts at 0.
    package func value<Value: PostgresDecodable>(
        _ column: Int,
        as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard column >= 0, column < Int(PQnfields(memory.raw)) else {
            throw PostgresError(.unusableValue, "the result has no column with the index \(column)")
        }
        guard let value = Value.decode(bytes(column)) else {
            let name = PQfname(memory.raw, Int32(column)).map { String(cString: $0) } ?? ""
            let isNull = bytes(column) == nil
            throw PostgresError(
                .unusableValue,
                "the column \(name) has \(isNull ? "no value" : "a value of another type"), "
                    + "where a value of the type \(Value.self) is expected"
            )
        }
        return value
    }

    /// The values of all columns, from left to right, each by the type of its column.
    ///
    /// A value whose type ``PostgresValue`` does not have is a text.
    package var values: [PostgresValue] {
        get throws(PostgresError) {
            var values: [PostgresValue] = []
            for column in 0..<Int(PQnfields(memory.raw)) {
                values.append(try typedValue(column))
            }
            return values
        }
    }

    private func typedValue(_ column: Int) throws(PostgresError) -> PostgresValue {
        guard bytes(column) != nil else { return .null }
        switch PQftype(memory.raw, Int32(column)) {
        case ColumnType.boolean: return .boolean(try value(column))
        case ColumnType.bytes: return .bytes(try value(column))
        case ColumnType.integer16, ColumnType.integer32, ColumnType.integer64:
            return .integer(try value(column))
        case ColumnType.real32, ColumnType.real64, ColumnType.numeric:
            return .real(try value(column))
        default: return .text(try value(column))
        }
    }

    /// The numbers of types, which never change (`pg_type.dat` of PostgreSQL).
    private enum ColumnType {
        static let boolean: Oid = 16
        static let bytes: Oid = 17
        static let integer64: Oid = 20
        static let integer16: Oid = 21
        static let integer32: Oid = 23
        static let real32: Oid = 700
        static let real64: Oid = 701
        static let numeric: Oid = 1700
    }

    /// The value of a column in text format, which is valid while the row exists; `nil` is NULL.
    private func bytes(_ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(index), Int32(column))
        guard PQgetisnull(memory.raw, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(memory.raw, row, column),
            count: Int(PQgetlength(memory.raw, row, column))
        )
    }
}
