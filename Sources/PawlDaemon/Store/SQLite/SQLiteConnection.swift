internal import FoundationEssentials
internal import GRDB
internal import PawlCore

/// A transaction of SQLite.
///
/// It must not be used after its transaction, nor on another thread.
final class SQLiteConnection: StoreConnection {
    private let database: Database
    let now = Date()
    let dialect: any SQLDialect = SQLiteDialect()
    let isWriting: Bool
    let node: StoreNode? = nil
    let pendingEvents = PendingEvents()

    init(_ database: Database, isWriting: Bool) {
        (self.database, self.isWriting) = (database, isWriting)
    }

    func explained(_ error: any Error, _ context: String) -> DownloadError {
        SQLiteStore.explained(error, context)
    }

    func execute(_ sql: String, _ values: [SQLValue], isKept: Bool) throws {
        try statement(sql, isKept).execute(arguments: Self.arguments(values))
    }

    func fill(_ table: String, _ columns: String, _ rows: [[SQLValue]]) throws {
        try fillEach(table, columns, rows)
    }

    func forEach(
        _ sql: String,
        _ values: [SQLValue],
        isKept: Bool,
        _ body: (StoreRow) throws -> Void
    ) throws {
        let statement = try statement(sql, isKept)
        let rows = try Row.fetchCursor(statement, arguments: Self.arguments(values))
        let columns = ResultColumns(statement.columnNames)
        let count = CInt(columns.names.count)
        // The buffer is used again, unless the closure keeps the row.
        var found: [SQLValue] = []
        while try rows.next() != nil {
            found.removeAll(keepingCapacity: true)
            for index in 0..<count {
                let value = DatabaseValue(
                    sqliteStatement: statement.sqliteStatement,
                    index: index
                )
                found.append(SQLValue(value))
            }
            try body(StoreRow(columns, found))
        }
    }

    private func statement(_ sql: String, _ isKept: Bool) throws -> Statement {
        isKept ? try database.cachedStatement(sql: sql) : try database.makeStatement(sql: sql)
    }

    private static func arguments(_ values: [SQLValue]) -> StatementArguments {
        StatementArguments(values.map { DatabaseValue($0) })
    }
}

extension SQLValue {
    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .bytes(Array(data))
        }
    }
}

extension DatabaseValue {
    fileprivate init(_ value: SQLValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = number.databaseValue
        case .real(let number): self = number.databaseValue
        case .text(let text): self = text.databaseValue
        case .bytes(let bytes): self = Data(bytes).databaseValue
        }
    }
}
