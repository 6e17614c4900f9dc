import Glibc
import PawlCore
import PawlTesting
import PawlTransport
import Testing

import struct FoundationEssentials.URL

@Suite(.timeLimit(.minutes(5)))
struct FailureTests {
    @Test func `a body shorter than its length is incomplete`() async throws {
        let record = try await answer("Content-Length: 10\r\n\r\n12345")
        #expect(record.text == "12345")
        #expect(record.failure == .bodyIncomplete)
    }

    @Test func `a body longer than its length ends at its length`() async throws {
        let record = try await answer("Content-Length: 3\r\n\r\n12345")
        #expect(record.text == "123")
        #expect(record.outcome == .completed)
    }

    @Test func `leftover bytes of an answer cost a new connection, not a failure`()
        async throws
    {
        let asked = Completion<Void>()
        let origin = try TestOrigin { connection in
            try connection.answer("first")
            // More than the length states, and too late to be seen before the connection is reused.
            _ = try connection.readHead()
            asked.complete()
            try connection.send("the rest of the first answer\r\n\r\n")
            try connection.answer("second")
        }
        let transport = CurlTransport(loops: 1)
        defer { transport.shutDown() }
        let request = try TransferRequest(url: origin.url())
        let first = try await fetch(request, over: transport)
        #expect(first.text == "first")
        let second = try await fetch(request, over: transport)
        await asked.waitIgnoringCancellation()
        #expect(second.outcome == .completed, "\(second.message)")
        #expect(second.text == "first")
        #expect(origin.connections == 2)
    }

    @Test(arguments: [100_000, 300_000, 1 << 20], [false, true])
    func `bytes after an answer are never read as the next one`(
        count: Int,
        isSecure: Bool
    ) async throws {
        let tls = isSecure ? try TLSServer() : nil
        #expect((tls != nil) == isSecure)
        let origin = try TestOrigin(tls: tls) { connection in
            while true {
                let seed = try connection.readHead()[0].utf8.filter { $0 == UInt8(ascii: "a") }
                    .count
                func response(_ seed: Int) -> [UInt8] {
                    Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
                        + patternedBytes(count, seed: UInt64(seed))
                }
                try connection.send(response(seed) + response(99))
            }
        }
        try await withTransport { transport in
            for seed in 1...4 {
                let path = "/" + String(repeating: "a", count: seed)
                var request = try TransferRequest(url: origin.url(path))
                request.connection.authoritiesFile = tls?.certificateFile
                let record = try await fetch(request, over: transport)
                #expect(record.outcome == .completed, "\(record.message)")
                #expect(record.body == patternedBytes(count, seed: UInt64(seed)))
            }
        }
    }

    @Test func `a malformed answer on a new connection is not retried`() async throws {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("no HTTP at all\r\n\r\n")
        }
        let record = try await fetch(TransferRequest(url: origin.url()))
        #expect(record.failure == .malformedResponse)
        #expect(origin.connections == 1)
    }

    @Test func `a chunked body without its last chunk is not complete`() async throws {
        let record = try await answer("Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n")
        #expect(record.text == "12345")
        #expect(record.failure == .bodyIncomplete || record.failure == .connectionLost)
    }

    @Test func `a chunked body with its last chunk is complete`() async throws {
        let record = try await answer("Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n")
        #expect(record.text == "12345")
        #expect(record.outcome == .completed)
    }

    @Test func `invalid chunks are malformed`() async throws {
        let record = try await answer("Transfer-Encoding: chunked\r\n\r\nzz\r\n12345\r\n")
        #expect(record.failure == .malformedResponse, "\(record.message)")
    }

    @Test func `a body without a length ends with the connection`() async throws {
        let record = try await answer("\r\n12345")
        #expect(record.text == "12345")
        #expect(record.outcome == .completed)
    }

    @Test func `a host that does not resolve does not affect later transfers`() async throws {
        let origin = try TestOrigin { connection in
            while try !connection.readHead().isEmpty {
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345")
            }
        }
        let transport = CurlTransport(loops: 1)
        defer { transport.shutDown() }
        // A label has at most 63 letters (RFC 1035 §2.3.4), so no resolver is asked.
        let nowhere = "http://\(String(repeating: "a", count: 64)).invalid/"
        for bufferBytes in [4_096, 65_536] {
            var request = TransferRequest(url: try #require(URL(string: nowhere)))
            request.bufferBytes = bufferBytes
            let lost = try await fetch(request, over: transport)
            #expect(lost.failure == .nameNotResolved, "\(lost.message)")
            request = TransferRequest(url: try origin.url())
            request.bufferBytes = bufferBytes * 2
            let record = try await fetch(request, over: transport)
            #expect(record.outcome == .completed, "\(record.message)")
        }
    }

    @Test func `a reset in mid-body is a lost connection`() async throws {
        let seen = Completion<Void>()
        let gate = Gate()
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n12345")
            gate.wait()
            connection.reset()
        }
        let sink = RecordingSink(body: { _ in
            seen.complete()
            return .more
        })
        async let fetched = fetch(TransferRequest(url: origin.url()), with: sink)
        await seen.waitIgnoringCancellation()
        gate.open()
        let record = try await fetched
        #expect(record.text == "12345")
        #expect(record.failure == .connectionLost)
    }

    @Test func `a head without a body is delivered before the end`() async throws {
        let record = try await answer("Content-Length: 10\r\n\r\n", status: "206 Partial Content")
        #expect(record.heads.map(\.status) == [206])
        #expect(record.body.isEmpty)
        #expect(record.failure == .bodyIncomplete)
    }

    @Test func `an incomplete head is not delivered`() async throws {
        let record = try await answer("Content-Len")
        #expect(record.heads.isEmpty)
        #expect(record.failure != nil)
    }

    @Test func `no answer at all is a lost connection`() async throws {
        let origin = try TestOrigin { _ = try $0.readHead() }
        let record = try await fetch(TransferRequest(url: origin.url()))
        #expect(record.failure == .connectionLost)
        #expect(!record.message.isEmpty)
    }

    @Test(arguments: ["-5", "abc"])
    func `an invalid length is malformed`(length: String) async throws {
        let record = try await answer("Content-Length: \(length)\r\n\r\n12345")
        #expect(record.failure == .malformedResponse, "\(record)")
    }

    @Test func `a refused connection is reported as such`() async throws {
        let port = try UnusedPort.find()
        let record = try await fetch(TransferRequest(url: makeURL("http://127.0.0.1:\(port)/")))
        #expect(record.failure == .cannotConnect)
        #expect(record.ends.first?.timings.connected == nil)
        #expect(record.ends.first?.timings.reusedConnection == false)
    }

    @Test func `an unknown name is reported as such`() async throws {
        // A label has at most 63 letters (RFC 1035 §2.3.4), so no resolver is asked.
        let name = "\(String(repeating: "a", count: 64)).invalid"
        let record = try await fetch(TransferRequest(url: makeURL("http://\(name)/")))
        #expect(record.failure == .nameNotResolved)
        #expect(record.message.contains(name))
    }

    @Test func `connecting to a server that does not accept times out`() async throws {
        let server = try FullBacklogServer()
        var request = TransferRequest(url: server.url)
        request.connection.connectTimeout = .milliseconds(100)
        let record = try await fetch(request)
        #expect(record.failure == .connectTimedOut, "\(record.message)")
    }

    @Test func `other schemes are refused`() async throws {
        let record = try await fetch(TransferRequest(url: makeURL("file:///etc/passwd")))
        #expect(record.failure == .unsupportedURL)
        #expect(record.heads.isEmpty && record.body.isEmpty)
    }

    @Test func `an empty range is refused`() async throws {
        let origin = try TestOrigin { try $0.answer("") }
        let request = try TransferRequest(url: origin.url(), range: ByteRange(5, 5))
        #expect(try await fetch(request).failure == .local)
        #expect(origin.connections == 0)
    }

    private func answer(
        _ rest: String,
        status: String = "200 OK"
    ) async throws -> RecordingSink.Record {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 \(status)\r\n\(rest)")
        }
        return try await fetch(TransferRequest(url: origin.url()))
    }
}
