internal import PawlCore
internal import PawlPostgres
internal import Synchronization

/// What the last calls have found out about the database, so that the next ones fail at once.
final class PostgresOutage: Sendable {
    private struct State: Sendable {
        var diskFull: Failure?
        var unreachable: Failure?
        /// The error of the last write; `nil` if it succeeded.
        var write: DownloadError?
    }

    private struct Failure: Sendable {
        var error: PostgresError
        var end: Moment
    }

    /// How long a transaction that needs room is refused after the database's disk was full.
    static let diskFullTime = Duration.seconds(10)
    /// How long calls fail at once after no connection could be made.
    static let unreachableTime = Duration.seconds(1)

    private let clock: any Timekeeper
    private let state = Mutex(State())

    init(_ clock: any Timekeeper) { self.clock = clock }

    var writeFailure: DownloadError? { state.withLock { $0.write } }

    /// Throws if the database's disk was full a moment ago.
    func checkRoom() throws(PostgresError) {
        try check(state.withLock { $0.diskFull })
    }

    /// Throws if no connection could be made a moment ago.
    func checkConnection() throws(PostgresError) {
        try check(state.withLock { $0.unreachable })
    }

    private func check(_ failure: Failure?) throws(PostgresError) {
        if let failure, clock.now() < failure.end { throw failure.error }
    }

    /// Records that a write has succeeded; it may have needed no room.
    func wrote() { state.withLock { ($0.unreachable, $0.write) = (nil, nil) } }

    /// Records a failure, and returns it in the words of the queue.
    func noted(_ error: any Error, _ context: String) -> DownloadError {
        let explained = PostgresFailure.explained(error, context)
        let now = clock.now()
        state.withLock { state in
            // What the closure itself throws is no failure of the store.
            if PostgresFailure.isOfTheStore(error) { state.write = explained }
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
}
