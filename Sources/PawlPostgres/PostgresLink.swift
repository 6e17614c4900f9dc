internal import CPostgres
internal import Glibc

/// libpq's connection, which only one thread uses.
final class PostgresLink {
    private let raw: OpaquePointer
    private let notices = PostgresNotices()

    /// Starts to connect; `nil` if there is no memory.
    init?(_ address: PostgresAddress, _ settings: PostgresSettings) {
        // libcurl has initialized OpenSSL, or OpenSSL does by itself.
        PQinitOpenSSL(0, 0)
        let parameters =
            settings.defaults + [("dbname", address.text), ("client_encoding", "UTF8")]
        let names = parameters.map { strdup($0.0) }
        let values = parameters.map { strdup($0.1) }
        defer { for text in names + values { free(text) } }
        let raw = (names.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { names in
            (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
                PQconnectStartParams(names.baseAddress, values.baseAddress, 1)
            }
        }
        guard let raw else { return nil }
        self.raw = raw
        // The only form of an error while connecting that contains the server's code.
        PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
        PQsetNoticeReceiver(
            raw,
            { PostgresNotices.receive($0, $1) },
            Unmanaged.passUnretained(notices).toOpaque()
        )
    }

    deinit { PQfinish(raw) }

    /// The socket to wait for; negative if there is none.
    var socket: Int32 { PQsocket(raw) }

    /// The host that libpq connects to, which changes with each attempt.
    var host: String {
        let parts = [PQhost(raw), PQhostaddr(raw), PQport(raw)]
        return parts.map { $0.map { String(cString: $0) } ?? "" }.joined(separator: " ")
    }

    /// libpq's text about the last failure.
    var text: String { String(cString: PQerrorMessage(raw)) }

    /// Whether the connection broke before or while it was made.
    var isBad: Bool { PQstatus(raw) == CONNECTION_BAD }

    /// Whether the next result has not arrived completely.
    var isBusy: Bool { PQisBusy(raw) != 0 }

    var isPipelined: Bool { PQpipelineStatus(raw) != PQ_PIPELINE_OFF }

    var isInTransaction: Bool { PQtransactionStatus(raw) != PQTRANS_IDLE }

    /// The error for a connection that broke.
    var loss: PostgresError {
        if let reason = notices.fatal { return reason }
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
        return .broken(lines)
    }

    /// Continues to connect, when the socket is ready.
    func connect() -> PostgresPollingStatusType { PQconnectPoll(raw) }

    func makeNonBlocking() throws(PostgresError) { try check(PQsetnonblocking(raw, 1) == 0) }

    /// Enters or leaves pipeline mode, while no statement runs.
    func setPipelined(_ isPipelined: Bool) throws(PostgresError) {
        guard isPipelined != self.isPipelined else { return }
        try check((isPipelined ? PQenterPipelineMode(raw) : PQexitPipelineMode(raw)) == 1)
    }

    func send(_ statement: PostgresStatement) throws(PostgresError) {
        let parameters = statement.values.map(Parameter.init)
        defer { for parameter in parameters { free(parameter.memory) } }
        let code = PQsendQueryParams(
            raw,
            statement.sql,
            Int32(parameters.count),
            parameters.map(\.type),
            parameters.map { UnsafePointer($0.memory) },
            parameters.map(\.length),
            parameters.map(\.format),
            0
        )
        try check(code == 1)
    }

    func sendSync() throws(PostgresError) { try check(PQpipelineSync(raw) == 1) }

    func send(script: String) throws(PostgresError) { try check(PQsendQuery(raw, script) == 1) }

    /// Sends what is buffered; returns whether some of it is left.
    func flush() throws(PostgresError) -> Bool {
        let code = PQflush(raw)
        try check(code >= 0)
        return code == 1
    }

    /// Reads what has arrived; returns `false` if the connection broke.
    func receive() -> Bool { PQconsumeInput(raw) == 1 }

    func nextResult() -> OpaquePointer? { PQgetResult(raw) }

    func nextNotification() -> PostgresNotification? {
        guard let raw = PQnotifies(raw) else { return nil }
        defer { PQfreemem(raw) }
        return PostgresNotification(
            channel: String(cString: raw.pointee.relname),
            payload: String(cString: raw.pointee.extra),
            process: raw.pointee.be_pid
        )
    }

    /// Puts bytes of a COPY into the buffer; returns `false` if there is no room for them now.
    func put(_ bytes: ArraySlice<UInt8>) throws(PostgresError) -> Bool {
        let code = bytes.withUnsafeBytes { bytes in
            PQputCopyData(
                raw,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count)
            )
        }
        try check(code >= 0)
        return code == 1
    }

    /// Ends a COPY, with a reason if the server is to discard it; returns `false` if there is no
    /// room for the end now.
    func endCopy(discarding reason: String?) throws(PostgresError) -> Bool {
        let code = PQputCopyEnd(raw, reason)
        try check(code >= 0)
        return code == 1
    }

    /// Returns what cancels the running statement, for any thread; `nil` if there is no memory.
    func cancellation() -> PostgresCancellation? {
        PQgetCancel(raw).map(PostgresCancellation.init)
    }

    private func check(_ isDone: Bool) throws(PostgresError) {
        guard !isDone else { return }
        throw isBad ? loss : PostgresError(.failed, "libpq reports: \(text)")
    }

    /// A parameter in libpq's form.
    private struct Parameter {
        /// The type `bytea`; 0 lets the server infer the type.
        private static let byteaType: Oid = 17

        var type: Oid = 0
        var format: Int32 = 0
        var length: Int32 = 0
        /// `nil` for NULL.
        var memory: UnsafeMutablePointer<CChar>?

        init(_ value: PostgresValue) {
            guard case .bytes(let bytes) = value else {
                memory = value.parameterText.flatMap { strdup($0) }
                return
            }
            (type, format, length) = (Self.byteaType, 1, Int32(bytes.count))
            // Not even empty memory may be NULL.
            memory = malloc(max(1, bytes.count))?.assumingMemoryBound(to: CChar.self)
            bytes.withUnsafeBytes { bytes in
                guard let memory, let start = bytes.baseAddress else { return }
                memcpy(memory, start, bytes.count)
            }
        }
    }
}

/// A request to the server to cancel what a connection runs.
///
/// `@unchecked Sendable`: a copy of the connection's data, which one thread uses after another.
final class PostgresCancellation: @unchecked Sendable {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { PQfreeCancel(raw) }

    /// Sends the request on a connection of its own, and waits until the server has closed it.
    ///
    /// Without an answer, it blocks.
    func send() {
        var text = [CChar](repeating: 0, count: 256)
        // If it fails, the connection's thread closes the connection.
        _ = PQcancel(raw, &text, Int32(text.count))
    }
}

/// The last reason that a server gave before it ended a connection.
final class PostgresNotices {
    private var last: PostgresError?

    /// The reason; `nil` if there was none.
    var fatal: PostgresError? { last }

    static func receive(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
        guard let context, let result else { return }
        let notices = Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue()
        guard let error = PostgresError(result), error.isEndOfSession(result) else { return }
        notices.last = error
    }
}

extension PostgresError {
    /// Creates the error from libpq's result; `nil` if the result is no error.
    init?(_ result: OpaquePointer) {
        guard let state = Self.field(pawl_pg_state, of: result) else {
            // libpq itself reports a broken connection in this way.
            guard PQresultStatus(result) == PGRES_FATAL_ERROR else { return nil }
            let text = PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
            self = .broken(text.split(separator: "\n"))
            return
        }
        let message = Self.field(pawl_pg_message, of: result) ?? "an unknown failure"
        self.init(
            state: state,
            message: message,
            constraint: Self.field(pawl_pg_constraint, of: result)
        )
    }

    fileprivate func isEndOfSession(_ result: OpaquePointer) -> Bool {
        ["FATAL", "PANIC"].contains(Self.field(pawl_pg_severity, of: result))
    }

    private static func field(_ code: Int32, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, code).map { String(cString: $0) }
    }
}
