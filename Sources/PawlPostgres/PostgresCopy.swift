internal import PawlCore

/// A COPY FROM STDIN: rows that are streamed to the server.
///
/// At most about 1 MiB waits in memory. A COPY that is released without ``finish(within:)`` is
/// discarded by the server.
package final class PostgresCopy: Sendable {
    private let rows: PostgresCopyRows
    private let connection: PostgresConnection

    init(_ rows: PostgresCopyRows, on connection: PostgresConnection) {
        self.rows = rows
        self.connection = connection
    }

    deinit { cancel() }

    /// Sends bytes in the form that the statement names.
    ///
    /// The answer is there when there is room for more. Its error is that of the whole COPY, but
    /// libpq reports errors of rows only at the end.
    package func write(_ bytes: [UInt8]) -> PostgresReply<Void> {
        let room = rows.write(bytes)
        connection.wake()
        return PostgresReply(room, on: connection) { _ in }
    }

    /// Sends a row in PostgreSQL's text form, which is the default of COPY.
    package func write(row values: [PostgresValue]) throws(PostgresError) -> PostgresReply<Void> {
        write(try Self.line(values))
    }

    /// Ends the COPY; the answer is the number of rows.
    package func finish(within time: Duration) -> PostgresReply<Int> {
        rows.end(.finish, SystemTimekeeper().now() + time)
        connection.wake()
        return PostgresReply(rows.answer, on: connection) { $0.last?.affectedRows ?? 0 }
    }

    /// Lets the server discard the rows; does nothing after ``finish(within:)``.
    package func cancel() {
        rows.end(.discard, .distantFuture)
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
