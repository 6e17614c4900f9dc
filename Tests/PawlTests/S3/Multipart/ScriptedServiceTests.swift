import Pawl
import PawlCore
import PawlTesting
import PawlTransport
import Testing
import struct FoundationEssentials.URL

/// Parts that are sent to a service that refuses them at different moments.
@Suite(.timeLimit(.minutes(5)))
struct ScriptedServiceTests {
    private static let bytes = Resource(size: 2_000_000).bytes()

    /// Sends a part, and returns the outcome and the service's requests.
    private func send(
        _ source: ScriptedBody,
        to reply: Reply
    ) async throws -> (part: Result<UploadedPart, ObjectFailure>, requests: [RecordedRequest]) {
        let origin = try ScriptedOrigin()
        origin.route("/photos/c.iso", reply, readsBody: true)
        let network = CurlTransport(loops: 1)
        defer { network.shutDown() }
        let transport = S3Transport(
            over: network,
            surroundings: S3Surroundings(variable: { _ in nil }, file: { _ in nil })
        )
        var template = try MultipartScene.template("s3://photos/c.iso")
        template.connection.s3.endpoint = URL(string: origin.url(""))
        template.connection.proxy = .none
        let upload = MultipartUpload("id", of: try #require(ObjectTarget(template)))
        let part = upload.part(1, .streamed(source, bytes: Int64(Self.bytes.count)))
        let reply = await transport.reply(to: part.request)
        let result = Result { () throws(ObjectFailure) in
            try upload.uploadedPart(1, part, reply)
        }
        return (result, origin.requests)
    }

    private static func error(_ code: String, _ status: Int) -> Reply {
        .status(
            status,
            fields: [("Date", "Sun, 06 Nov 2033 08:49:37 GMT")],
            body: "<Error><Code>\(code)</Code></Error>"
        )
    }

    private static let stored = Reply.custom { exchange, connection in
        if exchange.request["Expect"] != nil {
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        try connection.readWholeBody()
        try connection.send("HTTP/1.1 200 OK\r\nETag: \"t\"\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `a part that can be read only once survives a request that must be sent again`()
        async throws
    {
        let source = ScriptedBody(Self.bytes, isRepeatable: false)
        let refusal = Self.error("RequestTimeTooSkewed", 403)
        let (part, requests) = try await send(source, to: .sequence([refusal, Self.stored]))
        #expect(try part.get().checksum == ObjectChecksum(of: Self.bytes))
        #expect(requests.map { $0["Expect"] } == ["100-continue", "100-continue"])
        #expect(requests.map(\.body.isEmpty) == [true, false])
        #expect(requests.last?["x-amz-date"]?.hasPrefix("20331106T") == true)
        let body = try #require(requests.last?.body)
        let checksum = ObjectChecksum(of: Self.bytes).bytes.base64
        #expect(
            String(decoding: body.suffix(100), as: UTF8.self)
                .hasSuffix("\r\n0\r\nx-amz-checksum-crc32c:\(checksum)\r\n\r\n")
        )
        #expect(requests.last?["Content-Length"] == "\(body.count)")
    }

    @Test func `a part that can be read again is sent again`() async throws {
        let source = ScriptedBody(Self.bytes)
        let refusal = Self.error("RequestTimeTooSkewed", 403)
        let (part, requests) = try await send(source, to: .sequence([refusal, Self.stored]))
        #expect(try part.get().tag == "\"t\"")
        #expect(requests.count == 2)
        #expect(source.now.begins == 2)
    }

    @Test func `a refusal in the middle of a part is reported`() async throws {
        let refusal = Reply.custom { _, connection in
            _ = try connection.readBody()
            let body = "<Error><Code>SlowDown</Code></Error>"
            try connection.send(
                "HTTP/1.1 503 Slow Down\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
        let (part, requests) = try await send(ScriptedBody(Self.bytes), to: refusal)
        guard case .failure(.refused(let refused)) = part else {
            Issue.record("not refused: \(part)")
            return
        }
        #expect(refused.code == "SlowDown")
        #expect(refused.isTemporary)
        #expect(requests.count == 1)
    }

    @Test func `an answer that is lost leaves the outcome open`() async throws {
        let lost = Reply.custom { _, connection in
            try connection.readWholeBody()
            try connection.end(.reset)
        }
        let (part, _) = try await send(ScriptedBody(Self.bytes), to: lost)
        guard case .failure(.failed(let failure)) = part else {
            Issue.record("not failed: \(part)")
            return
        }
        #expect(failure.kind == .connectionLost)
    }

    @Test func `a service that has other bytes is found out`() async throws {
        let altered = Reply.custom { _, connection in
            try connection.readWholeBody()
            try connection.send(
                "HTTP/1.1 200 OK\r\nETag: \"t\"\r\nx-amz-checksum-crc32c: AAAAAA==\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
        }
        let (part, _) = try await send(ScriptedBody(Self.bytes), to: altered)
        #expect(part == .failure(.altered))
    }
}
