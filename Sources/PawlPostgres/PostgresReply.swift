/// The answer to a call, which arrives later.
///
/// It arrives at the call's deadline at the latest, or soon after. Until then, the connection lives.
package struct PostgresReply<Value: Sendable>: Sendable {
    private let answer: PostgresAnswer
    private let connection: PostgresConnection?
    private let read: @Sendable (PostgresAnswer.Outcome) throws(PostgresError) -> Value

    init(
        outcomeOf answer: PostgresAnswer,
        on connection: PostgresConnection?,
        read: @escaping @Sendable (PostgresAnswer.Outcome) throws(PostgresError) -> Value
    ) {
        self.answer = answer
        self.connection = connection
        self.read = read
    }

    init(
        _ answer: PostgresAnswer,
        on connection: PostgresConnection?,
        read: @escaping @Sendable ([PostgresResult]) throws(PostgresError) -> Value
    ) {
        self.init(outcomeOf: answer, on: connection) { (outcome) throws(PostgresError) in
            try read(try outcome.get())
        }
    }

    /// Blocks the thread until the answer is there.
    ///
    /// For threads that may wait; a task uses ``value``.
    package func wait() throws(PostgresError) -> Value {
        defer { withExtendedLifetime(connection) {} }
        return try read(answer.wait())
    }

    /// Blocks the thread until the answer is there; `nil` if that takes longer than `time`.
    package func wait(for time: Duration) throws(PostgresError) -> Value? {
        defer { withExtendedLifetime(connection) {} }
        guard let outcome = answer.wait(for: time) else { return nil }
        return try read(outcome)
    }

    /// The answer.
    ///
    /// If the task is cancelled, the error has the kind ``PostgresError/Kind/closed``. The server
    /// still does what was sent, unless the connection is closed.
    package var value: Value {
        get async throws(PostgresError) {
            defer { withExtendedLifetime(connection) {} }
            return try read(await answer.value())
        }
    }

    /// Returns a reply whose value is computed from the value or the error of this one.
    func map<Other: Sendable>(
        _ convert: @escaping @Sendable (Result<Value, PostgresError>) throws(PostgresError) -> Other
    ) -> PostgresReply<Other> {
        PostgresReply<Other>(outcomeOf: answer, on: connection) {
            [read] (outcome) throws(PostgresError) in
            let result: Result<Value, PostgresError>
            do throws(PostgresError) {
                result = .success(try read(outcome))
            } catch {
                result = .failure(error)
            }
            return try convert(result)
        }
    }
}

/// What a connection's thread has received for a call.
typealias PostgresAnswer = PostgresPromise<[PostgresResult]>
