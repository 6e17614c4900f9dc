import PawlCore
import PawlTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
    private static let body = patternedBytes(700_000)

    @Test func `a server of a trusted authority is accepted`() async throws {
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { try $0.answer("hello") }
        let record = try await fetch(trusting(tls, origin))
        #expect(record.text == "hello")
        #expect(record.outcome == .completed, "\(record.message)")
        #expect(record.ends.first?.timings.secured != nil)
    }

    @Test func `a server of an unknown authority is refused`() async throws {
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { try $0.answer("hello") }
        let record = try await fetch(TransferRequest(url: origin.url()))
        #expect(record.failure == .certificateRefused)
        #expect(record.heads.isEmpty)
    }

    @Test func `a certificate for another name is refused`() async throws {
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { try $0.answer("hello") }
        var request = try trusting(tls, origin)
        request.url = try origin.url(host: "other.localhost")
        #expect(try await fetch(request).failure == .certificateRefused)
    }

    @Test func `an unknown authority is accepted when that is allowed`() async throws {
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { connection in
            while true { try connection.answer("hello") }
        }
        try await withTransport { transport in
            var request = try TransferRequest(url: origin.url())
            request.connection.allowsUntrustedCertificates = true
            #expect(try await fetch(request, over: transport).text == "hello")
            // The unchecked connection is not reused for a request that requires the check.
            request.connection.allowsUntrustedCertificates = false
            #expect(try await fetch(request, over: transport).failure == .certificateRefused)
        }
    }

    @Test func `an error about a missing authorities file names the file`() async throws {
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { try $0.answer("hello") }
        var request = try TransferRequest(url: origin.url())
        request.connection.authoritiesFile = "/nonexistent/authorities.pem"
        let record = try await fetch(request)
        #expect(record.failure == .authoritiesUnusable)
        #expect(record.message.contains("/nonexistent/authorities.pem"))
    }

    @Test func `a server without TLS is an error`() async throws {
        let origin = try TestOrigin { try $0.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
        let url = try makeURL("https://127.0.0.1:\(origin.port)/")
        let record = try await fetch(TransferRequest(url: url))
        #expect(record.failure == .tlsFailed, "\(record.message)")
    }

    @Test(arguments: ["", "Transfer-Encoding: chunked\r\n", "Content-Length: 10\r\n"])
    func `a cut connection is never a complete body`(framing: String) async throws {
        let tls = try #require(try TLSServer())
        let body = framing.hasPrefix("T") ? "5\r\nhello\r\n" : "hello"
        let origin = try TestOrigin(tls: tls) { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\(body)")
            connection.cut()
        }
        let record = try await fetch(trusting(tls, origin))
        #expect(record.text == "hello")
        #expect(
            record.failure == .connectionLost || record.failure == .bodyIncomplete,
            "\(String(describing: record.outcome))"
        )
    }

    @Test func `a cut before the body is not complete either`() async throws {
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.cut()
        }
        let record = try await fetch(trusting(tls, origin))
        #expect(record.heads.count == 1)
        #expect(record.failure == .connectionLost)
    }

    @Test(arguments: [false, true])
    func `close_notify completes a body without a length`(pauses: Bool) async throws {
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            try connection.send(Self.body)
        }
        let sink = RecordingSink(body: { record in
            pauses && record.bodyCalls % 5 == 0 ? .pause(.milliseconds(1)) : .more
        })
        let record = try await fetch(trusting(tls, origin), with: sink)
        #expect(record.body == Self.body)
        #expect(record.outcome == .completed, "\(record.message)")
    }

    @Test(arguments: [1_024, 512 * 1_024])
    func `holds and pauses lose nothing`(buffer: Int) async throws {
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { connection in
            try connection.answer(Self.body)
            connection.waitForClose()
        }
        try await withTransport { transport in
            var request = try trusting(tls, origin)
            request.bufferBytes = buffer
            let running = Completion<any Transfer>()
            let resumeReading: @Sendable () -> Void = {
                Task { await running.waitIgnoringCancellation().resume() }
            }
            let sink = RecordingSink(
                head: { _ in
                    resumeReading()
                    return .hold
                },
                body: { record in
                    switch record.bodyCalls % 16 {
                    case 3:
                        resumeReading()
                        return .hold
                    case 9: return .pause(.milliseconds(1))
                    default: return .more
                    }
                }
            )
            running.complete(with: transport.start(request, sink: sink))
            _ = await sink.end.waitIgnoringCancellation()
            #expect(sink.record.body == Self.body)
            #expect(sink.record.outcome == .completed)
        }
    }

    private func trusting(_ tls: TLSServer, _ origin: TestOrigin) throws -> TransferRequest {
        var request = try TransferRequest(url: origin.url())
        request.connection.authoritiesFile = tls.certificateFile
        return request
    }
}
