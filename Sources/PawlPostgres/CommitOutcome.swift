internal import PawlCore

/// What became of a transaction whose connection broke while it was committed.
///
/// A server that crashes gives the numbers of transactions that it has lost again. A restart is
/// noticed, but not a crash that the server's first process survives. Sessions that such a crash has
/// ended have the state 57P02; do not ask for their transactions.
package enum CommitOutcome: Hashable, Sendable {
    /// It has taken effect.
    case committed
    /// It has no effect, and never will.
    case aborted
    /// It cannot be found out now: the server does not end the old session, no longer knows the
    /// transaction, or has been restarted.
    case unknown

    /// Finds out on another connection to the same server.
    ///
    /// It first ends the session of the transaction: a COMMIT may still be on its way to that.
    package static func find(
        _ mark: PostgresTransactionMark,
        on connection: PostgresConnection,
        within time: Duration
    ) -> PostgresReply<CommitOutcome> {
        // The server waits for the end of the session, and then needs time for its answer.
        let patience = max(1, time.nanoseconds / 1_000_000 * 3 / 4)
        return connection.query(
            """
            WITH session AS MATERIALIZED (
                SELECT pg_terminate_backend(pid, $3::bigint) AS ended FROM pg_stat_activity
                WHERE pid = $1::integer
                    AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
            )
            SELECT CASE WHEN coalesce((SELECT ended FROM session), true)
                THEN pg_xact_status($4::xid8) END,
                (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint > $2::bigint
            """,
            [
                .integer(Int64(mark.server.process)), .integer(mark.server.startedAt),
                .integer(patience), .text(String(mark.transaction)),
            ],
            within: time
        ).map { (result) throws(PostgresError) in try read(result) }
    }

    private static func read(
        _ result: Result<PostgresResult, PostgresError>
    ) throws(PostgresError) -> CommitOutcome {
        // The number was not given yet: a crash has undone everything that was not on the disk.
        if case .failure(let error) = result, error.state == "22023" { return .aborted }
        guard let row = try result.get().first else { return .unknown }
        // After a restart, such a number can be that of another transaction. If that was not
        // committed, the transaction in question was not either.
        let hasRestarted = try row.value(1, as: Bool.self)
        switch try row.value(0, as: String?.self) {
        case "committed": return hasRestarted ? .unknown : .committed
        case "aborted": return .aborted
        case "in progress": return hasRestarted ? .aborted : .unknown
        default: return .unknown
        }
    }
}

/// What identifies a transaction after its connection broke.
package struct PostgresTransactionMark: Hashable, Sendable {
    /// A statement that returns the number of the current transaction, for the beginning of a
    /// transaction that changes something.
    package static let query = "SELECT pg_current_xact_id()"

    /// The number of the transaction.
    package let transaction: UInt64
    /// The session in which it runs.
    package let server: PostgresServer

    /// Creates the mark from the result of ``query``.
    package init(_ result: PostgresResult, on server: PostgresServer) throws(PostgresError) {
        guard let row = result.first else {
            throw PostgresError(.failed, "the database does not number the transaction")
        }
        transaction = try row.value(0)
        self.server = server
    }
}
