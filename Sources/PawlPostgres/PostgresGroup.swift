internal import CPostgres

/// What has arrived for a group of statements: those up to a sync, or those of a script.
struct PostgresGroup {
    /// Whether the current statement has a result.
    var hasResult = false
    /// The error after which the server ends the connection.
    private(set) var fatal: PostgresError?
    private(set) var error: PostgresError?
    /// The error of an earlier group whose end nobody waited for.
    private var unreported: PostgresError?
    private var results: [PostgresResult] = []

    static let late = PostgresError(
        .timedOut,
        "the database did not answer in time",
        advice: "check the load of the server, and that no other session holds locks"
    )

    /// Adds a result, whose memory the group takes over.
    mutating func add(_ raw: OpaquePointer) {
        hasResult = true
        guard let failure = PostgresError(raw) else { return results.append(PostgresResult(raw)) }
        PQclear(raw)
        if failure.kind == .unreachable { fatal = fatal ?? failure }
        // The first error causes the others.
        if error == nil { error = failure }
    }

    /// Ends the group for the call that waits for it, and begins the next one.
    mutating func end(isCancelled: Bool) -> PostgresAnswer.Outcome {
        defer { begin() }
        guard let error else { return .success(results) }
        return .failure(isCancelled && error.kind == .timedOut ? Self.late : error)
    }

    /// Ends a group for which no call waits.
    mutating func endUnreported() {
        unreported = error
        begin()
    }

    /// Returns the error for the call that follows such a group.
    mutating func takeUnreported() -> PostgresError? {
        defer { unreported = nil }
        return unreported
    }

    /// Forgets what has arrived, also an error that arrived after the last statement.
    private mutating func begin() { (hasResult, error, results) = (false, nil, []) }
}
