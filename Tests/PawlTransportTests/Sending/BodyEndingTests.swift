import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// Bodies that are not sent to their end, or that are sent more than once.
@Suite(.timeLimit(.minutes(5)))
struct BodyEndingTests {
    private let large = patternedBytes(30_000_000)

    private func origin(_ reply: Reply, readsBody: Bool = true) throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        origin.route("/u", reply, readsBody: readsBody)
        return origin
    }

    private func request(
        to origin: ScriptedOrigin,
        _ body: any BodySource
    ) throws -> TransferRequest {
        var request = try TransferRequest(url: makeURL(origin.url("/u")))
        request.method = "PUT"
        request.bodySource = body
        return request
    }

    @Test(arguments: [true, false])
    func `an error that comes before the end of the body ends the body`(
        isLengthKnown: Bool
    ) async throws {
        let origin = try origin(
            .custom { _, connection in
                _ = try connection.readBody()
                try connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")
            }
        )
        let body = ScriptedBody(
            large,
            length: isLengthKnown ? Int64(large.count) : nil,
            isRepeatable: false
        )
        let record = try await fetch(request(to: origin, body))
        #expect(record.outcome == .completed, "\(record.message)")
        #expect(record.heads.map(\.status) == [413])
        #expect(record.text == "big")
        #expect(body.now.position < large.count)
        #expect(body.now.begins == 1)
    }

    @Test(arguments: [
        "413 Too Large\r\nContent-Length: 3", "413 Too Large\r\nContent-Length: 0",
        "500 Error\r\nTransfer-Encoding: chunked",
        "200 OK\r\nConnection: close\r\nContent-Length: 3",
    ])
    func `a response that comes while the body waits ends the exchange`(
        head: String
    ) async throws {
        let origin = try origin(
            .custom { _, connection in
                _ = try connection.readBody()
                let body =
                    head.hasSuffix(" 0")
                    ? "" : head.hasSuffix("d") ? "3\r\nbig\r\n0\r\n\r\n" : "big"
                try connection.send("HTTP/1.1 \(head)\r\n\r\n\(body)")
                if head.contains("close") { try connection.end(.close) }
            }
        )
        // It never has more bytes.
        let body = ScriptedBody([1, 2, 3], isComplete: false)
        let record = try await fetch(request(to: origin, body))
        #expect(record.outcome == .completed, "\(record.message)")
        #expect(record.text == (head.hasSuffix(" 0") ? "" : "big"))
        #expect(record.heads.count == 1)
    }

    @Test func `a refused answer that comes before the end of the body ends the exchange`()
        async throws
    {
        let origin = try origin(
            .custom { _, connection in
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                try connection.readWholeBody()
            }
        )
        let body = ScriptedBody([1, 2], isComplete: false)
        let sink = RecordingSink(head: { _ in .refuse })
        try await withTransport { transport in
            _ = transport.start(try request(to: origin, body), sink: sink)
            await body.waitForPause()
            _ = await sink.head.waitIgnoringCancellation()
            // A body that continues does not change that.
            body.append([3])
            _ = await sink.end.waitIgnoringCancellation()
        }
        #expect(sink.record.heads.map(\.status) == [200])
        #expect(sink.record.outcome == .stopped)
    }

    @Test(arguments: [Ending.reset, .close])
    func `a server that leaves in the middle of the body fails the exchange`(
        ending: Ending
    ) async throws {
        let origin = try origin(
            .custom { _, connection in
                _ = try connection.readBody()
                try connection.end(ending)
            }
        )
        let record = try await fetch(request(to: origin, ScriptedBody(large)))
        #expect(record.failure == .connectionLost, "\(record.message)")
        #expect(record.heads.isEmpty)
    }

    @Test func `a body that fails is not taken for a complete one`() async throws {
        let origin = try origin(
            .custom { _, connection in
                try connection.readWholeBody()
                try connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            }
        )
        let body = ScriptedBody([1, 2, 3], isComplete: false)
        let sink = RecordingSink()
        try await withTransport { transport in
            _ = transport.start(try request(to: origin, body), sink: sink)
            await body.waitForPause()
            body.fail("the file has changed")
            _ = await sink.end.waitIgnoringCancellation()
        }
        #expect(sink.record.failure == .bodyUnreadable)
        #expect(sink.record.message == "the file has changed")
        #expect(sink.record.heads.isEmpty)
        #expect(await origin.waitForQuiet().requests.map(\.end) == [.abandoned])
    }

    @Test(arguments: [999, 1001] as [Int64])
    func `a body with another length than announced fails`(length: Int64) async throws {
        let origin = try origin(.status(201), readsBody: false)
        let body = ScriptedBody(patternedBytes(1000), length: length)
        let record = try await fetch(request(to: origin, body))
        #expect(record.failure == .bodyUnreadable)
        #expect(record.heads.isEmpty)
    }

    enum Stage: CaseIterable { case started, paused, sending, answered }

    @Test(arguments: Stage.allCases)
    func `an exchange with a body can be cancelled at any stage`(stage: Stage) async throws {
        let origin = try origin(
            .custom { _, connection in
                if stage == .answered {
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
                }
                try connection.waitForClientToLeave()
            }
        )
        let body =
            stage == .sending
            ? ScriptedBody(large) : ScriptedBody([1], isComplete: false, isRepeatable: false)
        let sink = RecordingSink()
        try await withTransport { transport in
            let transfer = transport.start(try request(to: origin, body), sink: sink)
            switch stage {
            case .started: break
            case .paused: await body.waitForPause()
            case .sending: await body.waitForBytes(100_000)
            case .answered: _ = await sink.head.waitIgnoringCancellation()
            }
            transfer.cancel()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .cancelled)
            // A source does not know that the exchange has ended.
            body.append([2])
            body.finish()
        }
        #expect(sink.record.misplacedCalls == 0)
        #expect(sink.record.ends.count == 1)
    }

    @Test func `the end of the transport ends exchanges whose body waits`() async throws {
        let origin = try origin(.custom { _, connection in try connection.readWholeBody() })
        let body = ScriptedBody([1], isComplete: false)
        let sink = RecordingSink()
        try await withTransport { transport in
            _ = transport.start(try request(to: origin, body), sink: sink)
            await body.waitForPause()
        }
        #expect(await sink.end.waitIgnoringCancellation().outcome == .cancelled)
        body.append([2])
    }
}

// Bodies that are sent again.
extension BodyEndingTests {
    private func signInOrigin() throws -> ScriptedOrigin {
        try origin(.status(201).requireBasic(name: "me", password: "pw"), readsBody: false)
    }

    private func signedIn(_ request: TransferRequest) -> TransferRequest {
        var request = request
        request.credentials = Credentials(name: "me", password: "pw")
        return request
    }

    @Test func `a body is sent again with credentials`() async throws {
        let origin = try signInOrigin()
        let bytes = patternedBytes(200_000)
        let body = ScriptedBody(bytes)
        let record = try await fetch(signedIn(request(to: origin, body)))
        #expect(record.heads.map(\.status) == [201], "\(record.message)")
        #expect(origin.requests.map(\.body) == [bytes, bytes])
        #expect(body.now.begins == 2)
    }

    @Test func `a body that cannot be read twice is not sent again`() async throws {
        let origin = try signInOrigin()
        let body = ScriptedBody(patternedBytes(200_000), isRepeatable: false)
        let record = try await fetch(signedIn(request(to: origin, body)))
        #expect(record.failure == .bodyNotRepeatable, "\(record.message)")
        #expect(body.now.begins == 2)
        #expect(origin.requests.count == 1)
    }

    @Test func `a redirect with the body needs one that can be read twice`() async throws {
        let origin = try origin(.redirect(to: "/v", status: 307), readsBody: false)
        origin.route("/v", .status(201))
        for isRepeatable in [true, false] {
            let body = ScriptedBody([1, 2, 3], isRepeatable: isRepeatable)
            var request = try request(to: origin, body)
            let first = try await fetch(request)
            #expect(first.heads.map(\.status) == [307], "\(first.message)")
            request.url = try makeURL(origin.url("/v"))
            let second = try await fetch(request)
            #expect(second.failure == (isRepeatable ? nil : .bodyNotRepeatable))
        }
        #expect(origin.requests(to: "/v").map(\.body) == [[1, 2, 3]])
    }

    @Test func `a redirect before the server's consent leaves any body unread`() async throws {
        let origin = try origin(.redirect(to: "/v", status: 308))
        origin.route("/v", .status(201))
        let body = ScriptedBody([1, 2, 3], isRepeatable: false)
        var request = try request(to: origin, body)
        request.continueTimeout = .seconds(3_600)
        #expect(try await fetch(request).heads.map(\.status) == [308])
        request.url = try makeURL(origin.url("/v"))
        #expect(try await fetch(request).heads.map(\.status) == [201])
        #expect(origin.requests(to: "/v").map(\.body) == [[1, 2, 3]])
    }
}
