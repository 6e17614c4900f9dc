internal import FoundationEssentials
internal import PawlCore
internal import PawlPostgres

/// A transaction of PostgreSQL.
///
/// Statements without a result are sent without waiting for earlier ones; their errors come with
/// the next call that waits. It must not be used after its transaction.
final class PostgresStoreConnection: StoreConnection {
    private let session: PostgresConnection
    private let texts: StatementTexts
    private let time: Duration
    let dialect: any SQLDialect
    let now: Date
    let node: StoreNode?
    let pendingEvents = PendingEvents()
    /// What identifies the transaction after a lost connection; `nil` if it only reads.
    let mark: PostgresTransactionMark?
    private var changes: Set<ChangeTopic> = []
    private var firstFailure: PostgresError?
    /// Whether the transaction may have changed something.
    private var hasStatementsThatChange = false
    /// The number of statements that nobody has waited for.
    private var unwaited = 0

    /// The number of statements after which a transaction waits for the server.
    private static let mostUnwaited = 1000

    /// Begins a transaction.
    ///
    /// - Parameters:
    ///   - session: The connection, which no other caller uses at the same time.
    ///   - texts: The statements in the form of PostgreSQL.
    ///   - dialect: What the server understands.
    ///   - node: The node of this daemon.
    ///   - isWriting: Whether the transaction may change something.
    ///   - time: The time that each statement may take.
    init(
        on session: PostgresConnection,
        _ texts: StatementTexts,
        _ dialect: PostgresDialect,
        of node: StoreNode? = nil,
        isWriting: Bool,
        time: Duration
    ) throws(PostgresError) {
        (self.session, self.texts, self.time) = (session, texts, time)
        self.dialect = dialect
        self.node = node
        let clock = "extract(epoch FROM now())::double precision"
        try session.send(
            isWriting
                ? "BEGIN ISOLATION LEVEL READ COMMITTED"
                : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        )
        if isWriting { try session.send(PostgresTransactionMark.query) }
        try session.send("SELECT \(clock)")
        let results = try session.finish(within: time).wait()
        guard let row = results.last?.first else {
            throw PostgresError(.failed, "the database does not tell the time")
        }
        now = Date(timeIntervalSince1970: try row.value(0))
        mark =
            isWriting && results.count > 1
            ? try PostgresTransactionMark(
                results[results.count - 2],
                on: try session.server.wait()
            ) : nil
    }

    var isWriting: Bool { mark != nil }

    /// Whether a commit may have an effect; otherwise it does not matter what became of it.
    var hasChanges: Bool {
        hasStatementsThatChange || !pendingEvents.isEmpty || pendingEvents.hasNumbers
    }

    /// The first error of a statement, after which the server accepts no other one.
    var failure: PostgresError? { firstFailure }

    func noteChange(of topic: ChangeTopic) { changes.insert(topic) }

    /// What other daemons keep in memory, and the transaction changes.
    var changedTopics: Set<ChangeTopic> { changes }

    func explained(_ error: any Error, _ context: String) -> DownloadError {
        PostgresFailure.explained(error, context)
    }

    func execute(_ sql: String, _ values: [SQLValue], isKept: Bool) throws {
        hasStatementsThatChange = true
        try noting { () throws(PostgresError) in
            try session.send(
                texts.text(of: sql, isKept: isKept),
                values.map { PostgresValue($0) }
            )
            unwaited += 1
            if unwaited >= Self.mostUnwaited {
                unwaited = 0
                _ = try session.finish(within: time).wait()
            }
        }
    }

    func fill(_ table: String, _ columns: String, _ rows: [[SQLValue]]) throws {
        guard rows.count >= Self.fewestToCopy else { return try fillEach(table, columns, rows) }
        hasStatementsThatChange = true
        try noting { () throws(PostgresError) in
            unwaited = 0
            let sql = "COPY \(table) (\(columns)) FROM STDIN"
            let copy = try session.copy(sql, stallTime: time)
            var lines: [UInt8] = []
            for row in rows {
                lines += try PostgresCopy.line(row.map { PostgresValue($0) })
                guard lines.count >= Self.copiedBytes else { continue }
                try copy.write(lines).wait()
                lines.removeAll(keepingCapacity: true)
            }
            if !lines.isEmpty { try copy.write(lines).wait() }
            _ = try copy.finish(within: time).wait()
        }
    }

    /// The number of rows from which a COPY is faster than statements that are sent without waiting:
    /// it waits for the server twice.
    private static let fewestToCopy = 100
    /// The number of bytes that a COPY sends together.
    private static let copiedBytes = 64 << 10

    func forEach(
        _ sql: String,
        _ values: [SQLValue],
        isKept: Bool,
        _ body: (StoreRow) throws -> Void
    ) throws {
        if !sql.hasPrefix("SELECT") { hasStatementsThatChange = true }
        let text = texts.text(of: sql, isKept: isKept)
        let result = try noting { () throws(PostgresError) in
            unwaited = 0
            return try session.query(text, values.map { PostgresValue($0) }, within: time).wait()
        }
        let columns = ResultColumns(result.columnNames)
        for row in result.rows {
            try body(StoreRow(columns, try row.values.map { SQLValue($0) }))
        }
    }

    /// Numbers and writes the events that have no number yet, and commits.
    ///
    /// Returns the id of the newest event ever.
    func commit() throws -> Int64 {
        if let firstFailure { throw firstFailure }
        guard let script = try EventScript(pendingEvents, changes) else {
            try session.send(EventScript.lastEvent)
            try session.send("COMMIT")
            let results = try session.finish(within: time).wait()
            return try Self.lastEvent(in: results.dropLast().last)
        }
        let results = try session.script(script.text, within: time).wait()
        return try Self.lastEvent(in: results.dropFirst(script.lastEventIndex).first)
    }

    static func lastEvent(in result: PostgresResult?) throws(PostgresError) -> Int64 {
        guard let row = result?.first else {
            throw PostgresError(.wrongSchema, "the queue's counter of events is missing")
        }
        return try row.value(0)
    }

    /// Ends the transaction without an effect.
    func rollBack() {
        // A connection that is still in its transaction is not used again.
        _ = try? session.query("ROLLBACK", within: time).wait()
    }

    private func noting<Value>(
        _ body: () throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        if let firstFailure { throw firstFailure }
        do throws(PostgresError) {
            return try body()
        } catch {
            firstFailure = error
            throw error
        }
    }
}

extension PostgresValue {
    init(_ value: SQLValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        }
    }
}

extension SQLValue {
    fileprivate init(_ value: PostgresValue) {
        switch value {
        case .null: self = .null
        case .boolean(let truth): self = .integer(truth ? 1 : 0)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        }
    }
}
