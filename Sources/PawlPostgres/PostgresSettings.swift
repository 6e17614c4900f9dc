internal import Glibc

/// How connections are made.
package struct PostgresSettings: Sendable {
    /// The name that the server's list of connections shows; the address and `PGAPPNAME` may name
    /// another one.
    package var applicationName = "pawl"
    /// The time that each host of the address has to accept the connection.
    package var connectTime = Duration.seconds(10)
    /// The time that the server has to cancel a statement after its deadline; then the connection
    /// is closed.
    package var cancelTime = Duration.seconds(2)
    /// Statements that each new connection runs first, such as `SET` and `LISTEN`.
    package var preparation: [String] = []
    /// Whether a standby is passed over: it lags behind, and accepts no changes.
    package var needsPrimary = false
    /// The time before the first attempt to connect.
    package var delay = Duration.zero

    package init() {}

    /// Parameters for libpq, which the address may override.
    ///
    /// The system gives up a connection if the other machine does not answer for about eight
    /// seconds, also while the connection is made. libpq then tries the next host.
    var defaults: [(String, String)] {
        let timed = [
            ("fallback_application_name", applicationName), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "8000"),
        ]
        // The environment would not override it.
        guard needsPrimary, getenv("PGTARGETSESSIONATTRS") == nil else { return timed }
        return timed + [("target_session_attrs", "primary")]
    }

    /// The first script of each connection; its last statement describes the server.
    var script: String {
        // The forms in which results are read and literals are written must not depend on the
        // settings of the database or the user.
        let forms = [
            "SET bytea_output = hex", "SET standard_conforming_strings = on",
            "SET extra_float_digits = 1", "SET datestyle = ISO", "SET timezone = UTC",
        ]
        return (forms + preparation + [PostgresServer.query]).joined(separator: "; ")
    }
}

/// The server's end of a connection.
package struct PostgresServer: Hashable, Sendable {
    /// The number of the server's process.
    package let process: Int32
    /// When that process was started, in microseconds since 1970 by the server's clock.
    ///
    /// It is needed because the system reuses process numbers.
    package let startedAt: Int64
    /// The version, such as 150018 for 15.18.
    package let version: Int
    /// Whether the server follows another one.
    package let isStandby: Bool

    static let query = """
        SELECT pid, (extract(epoch FROM backend_start) * 1000000)::bigint, \
        current_setting('server_version_num')::integer, pg_is_in_recovery() \
        FROM pg_stat_activity WHERE pid = pg_backend_pid()
        """

    /// `xid8` is as old as version 13, `pg_terminate_backend` that waits as 14.
    private static let oldest = 140_000

    /// Reads what the first script of a connection returns.
    package init(_ results: [PostgresResult]) throws(PostgresError) {
        guard let row = results.last?.first else {
            throw PostgresError(.failed, "the database does not describe its own process")
        }
        process = try row.value(0)
        startedAt = try row.value(1)
        version = try row.value(2)
        isStandby = try row.value(3)
        guard version >= Self.oldest else {
            throw PostgresError(
                .tooOld,
                "the server's version \(version / 10_000) of PostgreSQL is too old",
                advice: "use PostgreSQL 14 or newer"
            )
        }
    }
}

/// A message that another session sent with `NOTIFY`.
package struct PostgresNotification: Hashable, Sendable {
    package let channel: String
    package let payload: String
    /// The number of the server's process for the session that sent it.
    package let process: Int32
}

/// What happens to a connection.
package enum PostgresConnectionEvent: Sendable {
    case connected(PostgresServer)
    case notified(PostgresNotification)
    /// The last event: the connection could not be made, broke, or was closed.
    case ended(PostgresError)
}
