internal import CPostgres
internal import Glibc
internal import PawlCore
internal import Synchronization

/// One unit of work of a connection.
enum PostgresJob: Sendable {
    /// A statement of the pipeline.
    case statement(PostgresStatement)
    /// The end of a group of statements: the first error of a group skips the rest of it.
    case sync(PostgresAnswer, Moment)
    /// The end of a group whose error belongs to the script or the COPY that follows.
    case barrier
    /// Statements without parameters in one message, which the server begins when it has all of it.
    case script(String, PostgresAnswer, Moment)
    case copy(PostgresCopyRows)

    var answer: PostgresAnswer? {
        switch self {
        case .statement, .barrier: nil
        case .sync(let answer, _), .script(_, let answer, _): answer
        case .copy(let rows): rows.answer
        }
    }

    /// When the job must have ended, if it begins now; a COPY must have begun by then.
    func deadline(at now: Moment) -> Moment? {
        switch self {
        case .statement, .barrier: nil
        case .copy(let rows): now + rows.stallTime
        case .sync(_, let deadline), .script(_, _, let deadline): deadline
        }
    }

    /// Whether libpq must be in pipeline mode.
    var isPipelined: Bool {
        switch self {
        case .statement, .sync, .barrier: true
        case .script, .copy: false
        }
    }
}

/// What the thread of a connection and its callers share.
final class PostgresInbox: Sendable {
    private struct State: Sendable {
        var jobs: [PostgresJob] = []
        /// The number of jobs that have not ended.
        var outstanding = 0
        var isInTransaction = false
        var isCancelSent = false
        var isClosed = false
        var end: PostgresError?
    }

    /// Set when the connection is ready, or has ended.
    let ready = PostgresAnswer()
    /// The descriptor that becomes readable when there is something for the thread; negative if the
    /// system has none left.
    let event = pawl_pg_event()
    private let state = Mutex(State())

    deinit { if event >= 0 { close(event) } }

    /// Why the connection has ended; `nil` before.
    var end: PostgresError? { state.withLock { $0.end } }

    /// Whether the connection exists, nothing is outstanding, and no transaction is open.
    var isIdle: Bool {
        state.withLock { $0.outstanding == 0 && !$0.isInTransaction && $0.end == nil }
    }

    func post(_ jobs: [PostgresJob]) {
        let end: PostgresError? = state.withLock { state in
            guard state.end == nil else { return state.end }
            state.jobs += jobs
            state.outstanding += jobs.count
            // The thread takes all jobs at once, so only the first ones need to wake it.
            if state.jobs.count == jobs.count { wake() }
            return nil
        }
        if let end { Self.fail(jobs, end) }
    }

    func wake() { pawl_pg_wake(event) }

    /// Lets the thread end.
    func closeConnection() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    // MARK: For the thread

    func take() -> (jobs: [PostgresJob], isClosed: Bool, isCancelSent: Bool) {
        pawl_pg_clear(event)
        return state.withLock { state in
            defer { state.jobs = [] }
            return (state.jobs, state.isClosed, state.isCancelSent)
        }
    }

    /// Counts a job of the thread itself.
    func prepares() { state.withLock { $0.outstanding += 1 } }

    /// Records the end of jobs, before their answers are given.
    func ended(_ jobs: Int, isInTransaction: Bool) {
        state.withLock { state in
            state.outstanding -= jobs
            state.isInTransaction = isInTransaction
        }
    }

    /// Records whether the request to cancel a statement is on its way.
    func setCancelSent(_ isSent: Bool) {
        state.withLock { $0.isCancelSent = isSent }
        if isSent { wake() }
    }

    /// Calls `report`, records the end of the connection, and fails all jobs that are left.
    ///
    /// The next connection is made when the end of this one is known, so what is reported of it comes
    /// later. `report` gets the error of a connection that its owner has closed, whatever has ended it.
    func end(
        with error: PostgresError,
        _ left: [PostgresJob],
        report: (PostgresError) -> Void
    ) {
        let isClosed = state.withLock { $0.isClosed }
        report(isClosed ? Self.isClosed : error)
        let jobs = state.withLock { state in
            state.end = error
            defer { state.jobs = [] }
            return state.jobs
        }
        // A caller whose job fails finds that the end is known.
        Self.fail(left + jobs, error)
        ready.complete(.failure(error))
    }

    /// The error of a connection that its owner has closed.
    static let isClosed = PostgresError(.closed, "the connection to the database was closed")

    private static func fail(_ jobs: [PostgresJob], _ error: PostgresError) {
        for job in jobs {
            if case .copy(let rows) = job { rows.fail(error) }
            job.answer?.complete(.failure(error))
        }
    }
}
