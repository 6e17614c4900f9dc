internal import PawlCore

/// A connection to a database, on a thread of its own.
///
/// Calls return at once; the thread sends what they ask for without waiting for earlier answers.
/// One caller at a time uses a connection: the first error of several statements that are sent one
/// after the other belongs to the call that waits next. A connection that broke is not made again;
/// ``PostgresPool`` and ``PostgresListener`` make new ones.
package final class PostgresConnection: Sendable {
    private let inbox = PostgresInbox()
    private let clock = SystemTimekeeper()
    /// Whether the system had a thread for the connection.
    let hasThread: Bool

    /// Starts to connect.
    ///
    /// `report` is called on the connection's thread, and must not wait. If the system has no thread
    /// left, it is never called, and ``end`` is set at once.
    package init(
        _ address: PostgresAddress,
        _ settings: PostgresSettings = PostgresSettings(),
        report: @escaping @Sendable (PostgresConnectionEvent) -> Void = { _ in }
    ) {
        let inbox = inbox
        hasThread = PostgresWorker.start("pawl-postgres") {
            PostgresThread(address, settings, inbox, report).run()
        }
        guard !hasThread else { return }
        inbox.end(
            with: PostgresError(.failed, "the system has no thread left for a connection"),
            []
        ) { _ in }
    }

    deinit { inbox.closeConnection() }

    /// The server's end, once the connection is ready.
    package var server: PostgresReply<PostgresServer> {
        PostgresReply(inbox.ready, on: self) { (results) throws(PostgresError) in
            try PostgresServer(results)
        }
    }

    /// Why the connection has ended; `nil` before.
    package var end: PostgresError? { inbox.end }

    /// Whether the connection can be given to another caller: nothing runs, and no transaction is
    /// open.
    package var isIdle: Bool { inbox.isIdle }

    /// Sends a statement, whose error comes with the next call that is waited for.
    ///
    /// Statements outside a transaction take effect only with that call.
    package func send(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) {
        inbox.post([.statement(try PostgresStatement(sql, values))])
    }

    /// Runs a statement, after those that ``send(_:_:)`` has sent.
    ///
    /// At the deadline, the server is asked to cancel it. The answer then has the kind
    /// ``PostgresError/Kind/timedOut``. If the server does not react, the connection ends. While the
    /// server runs an earlier call, the answer is given at the deadline, too, and the statement is
    /// cancelled when it begins.
    package func query(
        _ sql: String,
        _ values: [PostgresValue] = [],
        within time: Duration
    ) -> PostgresReply<PostgresResult> {
        let answer = PostgresAnswer()
        do throws(PostgresError) {
            let statement = try PostgresStatement(sql, values)
            inbox.post([.statement(statement), .sync(answer, clock.now() + time)])
        } catch {
            answer.complete(.failure(error))
        }
        return PostgresReply(answer, on: self) { (results) throws(PostgresError) in
            guard let result = results.last else { throw Self.noResult }
            return result
        }
    }

    /// Waits for the statements that ``send(_:_:)`` has sent; the answer is their results.
    package func finish(within time: Duration) -> PostgresReply<[PostgresResult]> {
        let answer = PostgresAnswer()
        inbox.post([.sync(answer, clock.now() + time)])
        return PostgresReply(answer, on: self) { $0 }
    }

    /// Runs statements without parameters that reach the server in one message.
    ///
    /// The server begins when it has all of the message, so nobody waits for the rest of a
    /// transaction whose sender has stopped. Values are written with ``PostgresValue/literal``.
    package func script(_ sql: String, within time: Duration) -> PostgresReply<[PostgresResult]> {
        let answer = PostgresAnswer()
        do throws(PostgresError) {
            try PostgresValue.text(sql).check()
            inbox.post([.script(sql, answer, clock.now() + time)])
        } catch {
            answer.complete(.failure(error))
        }
        return PostgresReply(answer, on: self) { $0 }
    }

    /// Begins a COPY FROM STDIN.
    ///
    /// - Parameter stallTime: The time in which the server must begin the COPY, and in which it must
    ///   take some bytes while there are any. Otherwise the connection ends.
    package func copy(_ sql: String, stallTime: Duration) throws(PostgresError) -> PostgresCopy {
        try PostgresValue.text(sql).check()
        let rows = PostgresCopyRows(sql, stallTime: stallTime)
        inbox.post([.copy(rows)])
        return PostgresCopy(rows, on: self)
    }

    /// Lets the thread look at its copies again.
    func wake() { inbox.wake() }

    /// Ends the connection; calls without an answer fail, and what the server runs is cancelled.
    package func close() { inbox.closeConnection() }

    private static let noResult = PostgresError(.unusableValue, "the statement is empty")
}
