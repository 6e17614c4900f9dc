import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// Bodies that are read while they are sent, over HTTP/1.1.
@Suite(.timeLimit(.minutes(5)))
struct BodySendingTests {
    private let bytes = patternedBytes(3_000_000)

    private func origin(_ reply: Reply, readsBody: Bool = false) throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        origin.route("/u", reply, readsBody: readsBody)
        return origin
    }

    /// An origin that reads the body itself, and then answers 201.
    private func reader(
        _ read: @escaping @Sendable (OriginExchange, PawlTesting.OriginConnection) throws -> Void
    ) throws -> ScriptedOrigin {
        try origin(
            .custom { exchange, connection in
                try read(exchange, connection)
                try connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            },
            readsBody: true
        )
    }

    private func request(
        to origin: ScriptedOrigin,
        _ body: any BodySource,
        method: String = "PUT"
    ) throws -> TransferRequest {
        var request = try TransferRequest(url: makeURL(origin.url("/u")))
        request.method = method
        request.bodySource = body
        return request
    }

    @Test(arguments: ["PUT", "POST", "PATCH", "PROPFIND"])
    func `a body of known length is sent with it`(method: String) async throws {
        let origin = try origin(.status(201))
        let record = try await fetch(request(to: origin, MemoryBody(bytes), method: method))
        #expect(record.outcome == .completed, "\(record.message)")
        #expect(record.heads.map(\.status) == [201])
        let sent = try #require(origin.requests.first)
        #expect(sent.method == method)
        #expect(sent.body == bytes)
        #expect(sent["Content-Length"] == "\(bytes.count)")
        #expect(sent["Transfer-Encoding"] == nil)
        #expect(sent["Expect"] == nil)
        #expect(sent["Content-Type"] == nil)
    }

    @Test(arguments: [true, false])
    func `the number of sent bytes is reported, without what separates chunks`(
        isLengthKnown: Bool
    ) async throws {
        let origin = try origin(.status(201))
        let body = ScriptedBody(bytes, length: isLengthKnown ? Int64(bytes.count) : nil)
        let record = try await fetch(request(to: origin, body))
        #expect(record.sent.count > 1)
        #expect(record.sent == record.sent.sorted())
        #expect(Set(record.sent).count == record.sent.count)
        #expect(record.sent.allSatisfy { (1...Int64(bytes.count)).contains($0) })
    }

    @Test func `a body of unknown length is sent in chunks`() async throws {
        let origin = try origin(.status(201))
        let record = try await fetch(request(to: origin, ScriptedBody(bytes)))
        #expect(record.outcome == .completed, "\(record.message)")
        let sent = try #require(origin.requests.first)
        #expect(sent.body == bytes)
        #expect(sent["Transfer-Encoding"] == "chunked")
        #expect(sent["Content-Length"] == nil)
    }

    @Test(arguments: [0, nil] as [Int64?])
    func `a body may be empty`(length: Int64?) async throws {
        let origin = try origin(.status(201))
        let record = try await fetch(request(to: origin, ScriptedBody(length: length)))
        #expect(record.outcome == .completed, "\(record.message)")
        let sent = try #require(origin.requests.first)
        #expect(sent.body.isEmpty)
        #expect(sent["Content-Length"] == (length == nil ? nil : "0"))
    }

    @Test(arguments: [true, false])
    func `fields follow the body in chunks, whether or not its length is known`(
        isLengthKnown: Bool
    ) async throws {
        let origin = try origin(.status(201))
        let body = ScriptedBody(
            bytes,
            length: isLengthKnown ? Int64(bytes.count) : nil,
            trailers: [HTTPField(name: "Digest", value: "a=b")]
        )
        let record = try await fetch(request(to: origin, body))
        #expect(record.outcome == .completed, "\(record.message)")
        let sent = try #require(origin.requests.first)
        #expect(sent.body == bytes)
        #expect(sent["Trailer"] == "Digest")
        #expect(sent.trailers == [HTTPField(name: "Digest", value: "a=b")])
    }

    @Test func `a body and a connection are used again for the next request`() async throws {
        let origin = try origin(.status(201))
        let body = ScriptedBody(bytes)
        try await withTransport { transport in
            for _ in 0..<3 {
                let record = try await fetch(request(to: origin, body), over: transport)
                #expect(record.outcome == .completed, "\(record.message)")
            }
        }
        #expect(origin.requests.map(\.body) == [bytes, bytes, bytes])
        #expect(origin.snapshot.acceptedConnections == 1)
    }
}

// Slow sources and slow servers.
extension BodySendingTests {
    @Test(arguments: [nil, 3_000_000] as [Int64?])
    func `an exchange waits for its body, and others continue`(length: Int64?) async throws {
        let origin = try reader { _, connection in try connection.readWholeBody() }
        origin.route("/other", .status(200, body: "other"))
        let body = ScriptedBody(Array(bytes[..<1000]), length: length, isComplete: false)
        try await withTransport { transport in
            let sink = RecordingSink()
            _ = transport.start(try request(to: origin, body), sink: sink)
            await body.waitForPause()
            await origin.waitUntil { $0.requests(to: "/u").first?.body.count == 1000 }
            let other = try TransferRequest(url: makeURL(origin.url("/other")))
            #expect(try await fetch(other, over: transport).text == "other")
            body.append(Array(bytes[1000..<500_000]))
            await body.waitForBytes(500_000)
            await body.waitForPause(2)
            body.append(Array(bytes[500_000...]))
            body.finish()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
            #expect(sink.record.heads.map(\.status) == [201])
        }
        #expect(origin.requests(to: "/u").first?.body == bytes)
    }

    @Test func `a server that reads slowly receives everything`() async throws {
        let origin = try reader { _, connection in
            for _ in 0..<10 {
                _ = try connection.readBody(atMost: 100)
                try connection.wait(.milliseconds(1))
            }
            try connection.readWholeBody()
        }
        let record = try await fetch(request(to: origin, ScriptedBody(bytes)))
        #expect(record.outcome == .completed, "\(record.message)")
        #expect(origin.requests.first?.body == bytes)
    }

    @Test func `a held response and a paused body do not release each other`() async throws {
        let origin = try origin(
            .custom { _, connection in
                _ = try connection.readBody()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
                try connection.readWholeBody()
                try connection.send("cd")
            },
            readsBody: true
        )
        let body = ScriptedBody([1, 2, 3], isComplete: false)
        try await withTransport { transport in
            let sink = RecordingSink(head: { _ in .hold })
            let transfer = transport.start(try request(to: origin, body), sink: sink)
            _ = await sink.head.waitIgnoringCancellation()
            await body.waitForPause()
            body.append([4, 5])
            await origin.waitUntil { $0.requests.first?.body == [1, 2, 3, 4, 5] }
            #expect(sink.record.body.isEmpty)
            await body.waitForPause(2)
            transfer.resume()
            body.append([6])
            body.finish()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
            #expect(sink.record.text == "abcd")
        }
        #expect(origin.requests.first?.body == [1, 2, 3, 4, 5, 6])
    }
}

// The server's consent (RFC 9110 §10.1.1).
extension BodySendingTests {
    @Test func `the body is sent after the server's consent`() async throws {
        let body = ScriptedBody(bytes)
        let origin = try reader { exchange, connection in
            #expect(exchange.request["Expect"] == "100-continue")
            #expect(body.now.reads == 0)
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            try connection.readWholeBody()
        }
        var request = try request(to: origin, body)
        request.continueTimeout = .seconds(3_600)
        let record = try await fetch(request)
        #expect(record.heads.map(\.status) == [201], "\(record.message)")
        #expect(origin.requests.first?.body == bytes)
    }

    @Test func `without the server's consent, no byte of the body is read`() async throws {
        let origin = try origin(.status(403, body: "no"), readsBody: true)
        let body = ScriptedBody(bytes, length: Int64(bytes.count), isRepeatable: false)
        var request = try request(to: origin, body)
        request.continueTimeout = .seconds(3_600)
        let record = try await fetch(request)
        #expect(record.outcome == .completed, "\(record.message)")
        #expect(record.heads.map(\.status) == [403])
        #expect(record.text == "no")
        #expect(body.now.reads == 0)
    }

    @Test func `a server that does not know the question gets the body after a while`()
        async throws
    {
        let origin = try reader { _, connection in try connection.readWholeBody() }
        var request = try request(to: origin, ScriptedBody(bytes))
        request.continueTimeout = .milliseconds(20)
        let record = try await fetch(request)
        #expect(record.heads.map(\.status) == [201], "\(record.message)")
        #expect(origin.requests.first?.body == bytes)
    }

    @Test(arguments: ["Content-Length: 0\r\n\r\n", "Content-Length: 2\r\n\r\nno"])
    func `a server that refuses the question gets the request without it`(
        rest: String
    ) async throws {
        let origin = try reader { exchange, connection in
            guard exchange.ordinal == 1 else {
                try connection.readWholeBody()
                return
            }
            try connection.send("HTTP/1.1 417 Expectation Failed\r\n\(rest)")
            try connection.end(.close)
        }
        try await sendAsking(origin)
        #expect(origin.requests.map { $0["Expect"] } == ["100-continue", nil])
    }

    @Test(arguments: [Ending.close, .reset])
    func `a server that refuses the question and leaves gets the request without it`(
        ending: Ending
    ) async throws {
        let origin = try reader { exchange, connection in
            guard exchange.ordinal == 1 else {
                try connection.readWholeBody()
                return
            }
            let head = "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"
            try connection.send(head)
            // The bytes of the request that libcurl repeats over the same connection.
            _ = try connection.readBody()
            try connection.end(ending)
        }
        try await sendAsking(origin)
        #expect(origin.requests.map { $0["Expect"] } == ["100-continue", nil])
    }

    /// Sends the body with the question, and expects that the server receives and accepts it.
    private func sendAsking(_ origin: ScriptedOrigin) async throws {
        let body = ScriptedBody(bytes, length: Int64(bytes.count))
        var request = try request(to: origin, body)
        request.continueTimeout = .seconds(3_600)
        let record = try await fetch(request)
        #expect(record.outcome == .completed, "\(record.message)")
        #expect(record.heads.map(\.status) == [201])
        #expect(origin.requests.last.map { $0.body == bytes } == true)
    }
}
