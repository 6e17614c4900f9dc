internal import PawlCore
internal import PawlPostgres
internal import Synchronization

/// What the last calls have found out about the database, so that the next ones fail at once.
final class PostgresOutage: Sendable {
    private struct State: Sendable {
        var diskFull: Failure?
        var unreachable: Failure?
        /// Whether somebody looks for the database.
        var isLooking = false
        /// The error of the last write; `nil` if it succeeded.
        var write: DownloadError?
        /// The error of a write whose outcome is not known.
        var unknownWrite: DownloadError?
    }

    private struct Failure: Sendable {
        var error: PostgresError
        var end: Moment
    }

    /// What a call does with the queue.
    enum Access: String {
        case reading = "reading the queue"
        case writing = "writing the queue"
    }

    /// How long a transaction that needs room is refused after the database's disk was full.
    static let diskFullTime = Duration.seconds(10)
    /// How long calls fail at once after no connection could be made, if nobody looks for the
    /// database.
    static let unreachableTime = Duration.seconds(15)

    private let clock: any Timekeeper
    private let state = Mutex(State())

    init(_ clock: any Timekeeper) { self.clock = clock }

    var writeFailure: DownloadError? { state.withLock { $0.write } }

    /// The error of the first write whose outcome is not known; `nil` if there was none.
    var unknownWrite: DownloadError? { state.withLock { $0.unknownWrite } }

    /// Why the database could not be reached; `nil` if it was reached since.
    var unreachable: PostgresError? { state.withLock { $0.unreachable?.error } }

    /// Throws if the outcome of a write is not known: what the daemon knows of the queue, on which
    /// the next write relies, may be wrong.
    func checkOutcomes() throws(DownloadError) {
        if let error = unknownWrite { throw error }
    }

    /// Throws if the database's disk was full a moment ago.
    func checkRoom() throws(PostgresError) {
        let now = clock.now()
        let failure = state.withLock { $0.diskFull }
        if let failure, now < failure.end { throw failure.error }
    }

    /// Throws if the database is known to be unreachable.
    func checkConnection() throws(PostgresError) {
        let now = clock.now()
        let failure = state.withLock { state in
            state.unreachable.flatMap { state.isLooking || now < $0.end ? $0 : nil }
        }
        if let failure { throw failure.error }
    }

    /// Records that the database was reached.
    func reached() { state.withLock { $0.unreachable = nil } }

    /// Records that a write has succeeded; it may have needed no room.
    func wrote() { state.withLock { ($0.unreachable, $0.write) = (nil, nil) } }

    /// Records that the database cannot be reached.
    func failed(_ error: PostgresError) {
        let now = clock.now()
        state.withLock { $0.unreachable = Failure(error: error, end: now + Self.unreachableTime) }
    }

    /// Records that somebody looks for the database; returns `false` if somebody does already.
    ///
    /// `problem`: why the database could not be reached, if that is known.
    func beginLooking(_ problem: PostgresError?) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            guard !state.isLooking else { return false }
            state.isLooking = true
            // Calls need not find out themselves.
            if state.unreachable == nil, let problem {
                state.unreachable = Failure(error: problem, end: now)
            }
            return true
        }
    }

    func endLooking() { state.withLock { $0.isLooking = false } }

    /// Records a failure, and returns it in the words of the queue.
    func noted(_ error: any Error, _ access: Access) -> DownloadError {
        let explained = PostgresFailure.explained(error, access.rawValue)
        let now = clock.now()
        state.withLock { state in
            // What the closure itself throws is no failure of the store.
            if access == .writing, PostgresFailure.isOfTheStore(error) { state.write = explained }
            guard let error = error as? PostgresError else { return }
            // An error that is thrown again does not last longer.
            switch error.kind {
            case .diskFull where now >= (state.diskFull?.end ?? .zero):
                state.diskFull = Failure(error: error, end: now + Self.diskFullTime)
            case .unreachable where now >= (state.unreachable?.end ?? .zero):
                state.unreachable = Failure(error: error, end: now + Self.unreachableTime)
            default: break
            }
        }
        return explained
    }

    /// Records a write whose outcome is not known, and returns the error in the words of the queue.
    func noted(_ error: PostgresFailure.UnknownCommit, for purpose: WritePurpose) -> DownloadError {
        let explained = PostgresFailure.explained(error, Access.writing.rawValue)
        state.withLock { state in
            state.write = explained
            guard !purpose.allowsUnknownOutcome, state.unknownWrite == nil else { return }
            state.unknownWrite = explained
        }
        return explained
    }
}
