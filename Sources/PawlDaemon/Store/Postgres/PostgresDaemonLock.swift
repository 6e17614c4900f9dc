internal import PawlCore
internal import PawlPostgres
internal import Synchronization

/// Keeps two daemons from using one queue: a lock that the session of the writer holds.
///
/// The session that writes has the lock itself. So no write is possible without it, even if the
/// server has ended the session without the daemon's knowledge.
final class PostgresDaemonLock: Sendable {
    private struct State: Sendable {
        /// The session that has got the lock last.
        var holder: PostgresServer?
        var problem: DownloadError?
    }

    /// The first half of the lock's number, which stands for Pawl.
    static let group: Int64 = 0x7061_776c

    private let schema: String
    private let mark = String(UInt64.random(in: .min ... .max), radix: 16)
    private let state = Mutex(State())

    init(schema: String) { self.schema = schema }

    /// Why the last attempt to get the lock has failed; `nil` if it succeeded.
    var problem: DownloadError? { state.withLock { $0.problem } }

    /// Gets the lock for a session that is about to write, unless it has it.
    ///
    /// - Parameter time: The time to wait for another session that ends.
    /// - Throws: `.alreadyRunning` if another daemon has it, among others.
    func take(on session: PostgresConnection, waiting time: Duration = .zero) throws {
        let server = try session.server.wait()
        let holder = state.withLock { $0.holder }
        guard holder != server else { return }
        // The server may not know yet that the connection of the earlier session has broken.
        if let holder { try end(holder, on: session) }
        guard try isFree(on: session, waiting: time) else {
            let place = "the queue in the schema \(schema) of the database"
            throw refusal("another daemon uses \(place)" + (try owner(on: session)))
        }
        if holder != nil, try !isLastUser(on: session) {
            unlock(session)
            throw refusal(
                "another daemon has used the queue in the schema \(schema) of the database since "
                    + "this one lost its connection"
            )
        }
        state.withLock { ($0.holder, $0.problem) = (server, nil) }
    }

    /// Records that this daemon uses the queue: what an earlier one knows of it may be wrong from
    /// now on.
    func claim(on session: PostgresConnection) throws {
        _ = try session.query(
            """
            INSERT INTO setting (name, value) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """,
            [.text(PostgresSchema.daemonName), .text(mark)],
            within: Self.time
        ).wait()
    }

    /// Gives up the lock, so that the next daemon need not wait for the end of the session.
    func release(on session: PostgresConnection) {
        unlock(session)
        state.withLock { $0.holder = nil }
    }

    private func unlock(_ session: PostgresConnection) {
        let statement = "SELECT pg_advisory_unlock_all()"
        // The end of the session has the same effect.
        _ = try? session.query(statement, within: .seconds(2)).wait()
    }

    private func refusal(_ reason: String) -> DownloadError {
        let problem = DownloadError(
            .alreadyRunning,
            reason,
            advice: "stop that daemon, or give this one another database or schema"
        )
        state.withLock { $0.problem = problem }
        return problem
    }

    private func isLastUser(on session: PostgresConnection) throws -> Bool {
        let migration = PostgresMigration(schema: schema)
        return try migration.setting(PostgresSchema.daemonName, on: session) == mark
    }

    private static let time = Duration.seconds(10)

    private func end(_ holder: PostgresServer, on session: PostgresConnection) throws {
        let result = try session.query(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = $1::integer
                AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
            """,
            [.integer(Int64(holder.process)), .integer(holder.startedAt)],
            within: Self.time
        ).wait()
        guard let row = result.first, try !row.value(0, as: Bool.self) else { return }
        throw PostgresError(
            .locked,
            "the server does not end the earlier session of this daemon, which holds its lock"
        )
    }

    private func isFree(on session: PostgresConnection, waiting time: Duration) throws -> Bool {
        let numbers: [PostgresValue] = [.integer(Self.group), .text(schema)]
        let result = try session.query(
            "SELECT pg_try_advisory_lock($1::integer, hashtext($2))",
            numbers,
            within: Self.time
        ).wait()
        if try result.first?.value(0) == true { return true }
        guard time > .zero else { return false }
        let limit = time.nanoseconds / 1_000_000
        do throws(PostgresError) {
            try session.send("SET lock_timeout = \(limit)")
            _ = try session.query(
                "SELECT pg_advisory_lock($1::integer, hashtext($2))",
                numbers,
                within: time + Self.time
            ).wait()
            _ = try session.query("SET lock_timeout = 5000", within: Self.time).wait()
            return true
        } catch {
            guard error.kind == .locked else { throw error }
            return false
        }
    }

    /// Returns what is known of the other daemon, for the message.
    private func owner(on session: PostgresConnection) throws -> String {
        let result = try session.query(
            """
            SELECT usename::text, host(client_addr), backend_start::text
            FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND granted AND objsubid = 2
                AND classid = $1::integer::oid AND objid = hashtext($2)::oid
                AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """,
            [.integer(Self.group), .text(schema)],
            within: Self.time
        ).wait()
        guard let row = result.first else { return "" }
        // The server shows nothing but the user of another user's session.
        guard let date = try row.value(2, as: String?.self) else {
            return try row.value(0, as: String?.self).map { " (as the user \($0))" } ?? ""
        }
        let address = try row.value(1, as: String?.self) ?? "the same machine"
        return " (connected from \(address) since \(date))"
    }
}
