import PawlCore
import PawlTransport
import Testing

/// Runs a test with a transport and ends its threads afterwards: from then on there are no calls.
func withTransport<Result: Sendable>(
    loops: Int = 1,
    _ body: (CurlTransport) async throws -> Result
) async throws -> Result {
    let transport = CurlTransport(loops: loops)
    defer { transport.shutDown() }
    return try await body(transport)
}

/// Runs one exchange to its end.
func fetch(
    _ request: TransferRequest,
    with sink: RecordingSink = RecordingSink(),
    over transport: CurlTransport? = nil
) async throws -> RecordingSink.Record {
    let own = transport ?? CurlTransport(loops: 1)
    defer { if transport == nil { own.shutDown() } }
    _ = own.start(request, sink: sink)
    _ = await sink.end.waitIgnoringCancellation()
    let record = sink.record
    #expect(record.misplacedCalls == 0)
    return record
}

extension RecordingSink.Record {
    var outcome: TransferOutcome? { ends.first?.outcome }

    var failure: TransferFailure.Kind? {
        guard case .failed(let failure) = outcome else { return nil }
        return failure.kind
    }

    var message: String {
        guard case .failed(let failure) = outcome else { return "" }
        return failure.message
    }
}

extension OriginConnection {
    /// Answers the next request with 200 and a body of known length.
    func answer(_ body: [UInt8], fields: String = "") throws {
        _ = try readHead()
        try send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(fields)\r\n")
        try send(body)
    }

    func answer(_ body: String, fields: String = "") throws {
        try answer(Array(body.utf8), fields: fields)
    }
}
