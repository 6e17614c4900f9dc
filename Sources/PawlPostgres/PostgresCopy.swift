internal import PawlCore
internal import Synchronization

/// A COPY FROM STDIN: rows that are streamed to the server.
///
/// At most about 1 MiB waits in memory. A COPY that is released without ``finish(within:)`` is
/// discarded by the server.
package final class PostgresCopy: Sendable {
    private let stream: PostgresCopyStream
    private let connection: PostgresConnection

    init(_ stream: PostgresCopyStream, on connection: PostgresConnection) {
        self.stream = stream
        self.connection = connection
    }

    deinit { cancel() }

    /// Sends bytes in the form that the statement names.
    ///
    /// The answer is there when there is room for more. Its error is that of the whole COPY, but
    /// libpq reports errors of rows only at the end.
    package func write(_ bytes: [UInt8]) -> PostgresReply<Void> {
        let room = stream.write(bytes)
        connection.wake()
        return PostgresReply(room, on: connection) { _ in }
    }

    /// Sends a row in PostgreSQL's text form, which is the default of COPY.
    package func write(row values: [PostgresValue]) throws(PostgresError) -> PostgresReply<Void> {
        write(try Self.line(values))
    }

    /// Ends the COPY; the answer is the number of rows.
    package func finish(within time: Duration) -> PostgresReply<Int> {
        stream.end(.finish, SystemTimekeeper().now() + time)
        connection.wake()
        return PostgresReply(stream.answer, on: connection) { $0.last?.affectedRows ?? 0 }
    }

    /// Lets the server discard the rows; does nothing after ``finish(within:)``.
    package func cancel() {
        stream.end(.discard, .distantFuture)
        connection.wake()
    }

    /// Returns a row in text form.
    package static func line(_ values: [PostgresValue]) throws(PostgresError) -> [UInt8] {
        var line: [UInt8] = []
        for (index, value) in values.enumerated() {
            try value.check()
            if index > 0 { line.append(UInt8(ascii: "\t")) }
            switch value {
            case .null: line += Array("\\N".utf8)
            case .bytes(let bytes): line += Array(("\\\\x" + bytes.hexadecimal).utf8)
            case .boolean, .integer, .real, .text:
                for byte in (value.parameterText ?? "").utf8 { append(byte, to: &line) }
            }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func append(_ byte: UInt8, to line: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\\"): line += Array("\\\\".utf8)
        case UInt8(ascii: "\t"): line += Array("\\t".utf8)
        case UInt8(ascii: "\n"): line += Array("\\n".utf8)
        case UInt8(ascii: "\r"): line += Array("\\r".utf8)
        default: line.append(byte)
        }
    }
}

/// The bytes between the caller of a COPY and the connection's thread.
final class PostgresCopyStream: Sendable {
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
