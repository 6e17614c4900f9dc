internal import PawlCore
internal import Synchronization

/// The bytes between the caller of a COPY and the connection's thread.
final class PostgresCopyRows: Sendable {
    enum End: Sendable {
        case finish, discard
    }

    private struct State: Sendable {
        /// The bytes that the thread has not taken.
        var bytes: [UInt8] = []
        /// The number of bytes that are not sent.
        var pendingBytes = 0
        var end: End?
        var deadline: Moment?
        var failure: PostgresError?
        /// The answers to writes that wait for room.
        var waiting: [PostgresAnswer] = []
    }

    /// The number of bytes from which a write waits.
    private static let room = 1 << 20

    let sql: String
    /// The time in which the COPY must begin, and in which some bytes must be sent.
    let stallTime: Duration
    /// The outcome of the COPY.
    let answer = PostgresAnswer()
    private let state = Mutex(State())

    init(_ sql: String, stallTime: Duration) {
        self.sql = sql
        self.stallTime = stallTime
    }

    /// Adds bytes; the answer is given when there is room for more.
    func write(_ bytes: [UInt8]) -> PostgresAnswer {
        let answer = PostgresAnswer()
        let outcome: PostgresAnswer.Outcome? = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            state.bytes += bytes
            state.pendingBytes += bytes.count
            guard state.pendingBytes >= Self.room else { return .success([]) }
            state.waiting.append(answer)
            return nil
        }
        if let outcome { answer.complete(outcome) }
        return answer
    }

    /// Requests the end; only the first request counts.
    func end(_ end: End, _ deadline: Moment) {
        state.withLock { state in
            if state.end == nil { (state.end, state.deadline) = (end, deadline) }
        }
    }

    // MARK: For the thread

    /// When the answer to the requested end must have arrived; `nil` before it is requested.
    var deadline: Moment? { state.withLock { $0.deadline } }

    /// Takes the bytes to send, which count as waiting until `sent` is called, and the requested
    /// end, which follows them.
    func take() -> (bytes: [UInt8], end: End?) {
        state.withLock { state in
            defer { state.bytes = [] }
            return (state.bytes, state.end)
        }
    }

    /// Records bytes as sent, and lets writes continue.
    func sent(_ bytes: Int) {
        let waiting = state.withLock { state in
            state.pendingBytes -= bytes
            guard state.pendingBytes < Self.room else { return [PostgresAnswer]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for answer in waiting { answer.complete(.success([])) }
    }

    /// Fails all writes, present and later ones.
    func fail(_ error: PostgresError) {
        let waiting = state.withLock { state in
            state.failure = error
            state.bytes = []
            defer { state.waiting = [] }
            return state.waiting
        }
        for answer in waiting { answer.complete(.failure(error)) }
    }
}
