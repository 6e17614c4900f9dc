internal import PawlCore
internal import Synchronization

/// Connections to one database that several callers use in turn.
///
/// A connection is made when it is needed. One that broke, or that comes back with an open
/// transaction, is replaced.
package final class PostgresPool: Sendable {
    private typealias Ticket = PostgresPromise<PostgresConnection>

    private struct State: Sendable {
        var idle: [PostgresConnection] = []
        /// The number of connections, idle and in use.
        var count = 0
        var waiting: [Ticket] = []
        var isClosed = false
    }

    private let address: PostgresAddress
    private let settings: PostgresSettings
    private let size: Int
    private let clock = SystemTimekeeper()
    private let state = Mutex(State())
    private let lastProblem = PostgresProblem()

    /// Creates a pool of at most `size` connections.
    package init(
        _ address: PostgresAddress,
        _ settings: PostgresSettings = PostgresSettings(),
        size: Int
    ) {
        self.address = address
        self.settings = settings
        self.size = max(1, size)
    }

    deinit { close() }

    /// Why the last connection could not be made or broke; `nil` if a later one was made.
    package var problem: PostgresError? { lastProblem.error }

    /// Lends a connection to a thread that may wait, first come, first served.
    ///
    /// `time` is the limit for a connection to become free. The time to make a new one counts towards
    /// the deadline of the first call.
    package func withConnectionBlocking<Value>(
        within time: Duration,
        _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
        let ticket = take()
        let outcome = ticket.wait(for: time) ?? .failure(Self.late)
        let connection = try accept(outcome, of: ticket)
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Lends a connection to a task, first come, first served.
    package func withConnection<Value>(
        within time: Duration,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let ticket = take()
        let outcome = await value(of: ticket, until: clock.now() + time)
        let connection = try accept(outcome, of: ticket)
        defer { giveBack(connection) }
        return try await body(connection)
    }

    /// Closes all connections that are not in use, and refuses new calls.
    package func close() {
        let (idle, waiting) = state.withLock { state in
            state.isClosed = true
            defer { (state.idle, state.waiting) = ([], []) }
            return (state.idle, state.waiting)
        }
        for connection in idle { connection.close() }
        for ticket in waiting { ticket.complete(.failure(Self.isClosed)) }
    }

    private static let late = PostgresError(
        .timedOut,
        "no connection to the database became free in time",
        advice: "check the load of the server"
    )
    private static let isClosed = PostgresError(.closed, "the pool of connections was closed")

    private func take() -> Ticket {
        let ticket = Ticket()
        let outcome: Ticket.Outcome? = state.withLock { state in
            guard !state.isClosed else { return .failure(Self.isClosed) }
            while let connection = state.idle.popLast() {
                if connection.end == nil { return .success(connection) }
                state.count -= 1
            }
            guard state.count < size else {
                state.waiting.append(ticket)
                return nil
            }
            state.count += 1
            return .success(connect())
        }
        if let outcome { ticket.complete(outcome) }
        return ticket
    }

    private func connect() -> PostgresConnection {
        let lastProblem = lastProblem
        return PostgresConnection(address, settings) { lastProblem.note($0) }
    }

    private func value(of ticket: Ticket, until deadline: Moment) async -> Ticket.Outcome {
        if let outcome = ticket.outcome { return outcome }
        return await withTaskGroup(of: Ticket.Outcome?.self) { group in
            group.addTask { await ticket.value() }
            group.addTask { [clock] in
                do {
                    try await clock.sleep(until: deadline)
                    return nil
                } catch {
                    // The connection is there, or the caller's task is cancelled, which is not late.
                    return await ticket.value()
                }
            }
            defer { group.cancelAll() }
            return (await group.next() ?? nil) ?? .failure(Self.late)
        }
    }

    /// Returns the connection that a ticket has got, even if that was a moment too late.
    private func accept(
        _ outcome: Ticket.Outcome,
        of ticket: Ticket
    ) throws(PostgresError) -> PostgresConnection {
        guard case .failure = outcome, ticket.complete(outcome) else {
            return try (ticket.outcome ?? outcome).get()
        }
        state.withLock { $0.waiting.removeAll { $0 === ticket } }
        return try outcome.get()
    }

    private func giveBack(_ connection: PostgresConnection) {
        let isUsable = connection.isIdle
        if !isUsable { connection.close() }
        let isClosed = state.withLock { state in
            guard !state.isClosed else { return true }
            var available = isUsable ? connection : nil
            while !state.waiting.isEmpty {
                let ticket = state.waiting.removeFirst()
                // Without a usable one, a connection is made only when somebody waits for it.
                let offered = available ?? connect()
                available = offered
                // The caller may have given up.
                if ticket.complete(.success(offered)) { return false }
            }
            if let available { state.idle.append(available) } else { state.count -= 1 }
            return false
        }
        if isClosed { connection.close() }
    }
}

/// Whether a database can be reached, as the connections of a pool find.
private final class PostgresProblem: Sendable {
    private let state = Mutex<PostgresError?>(nil)

    var error: PostgresError? { state.withLock { $0 } }

    func note(_ event: PostgresConnectionEvent) {
        switch event {
        case .connected: state.withLock { $0 = nil }
        case .ended(let error) where error.kind != .closed: state.withLock { $0 = error }
        case .ended, .notified: break
        }
    }
}
