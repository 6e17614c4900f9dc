import PawlCore
import PawlTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HeadTests {
    @Test func `interim heads are not delivered`() async throws {
        let record = try await answer(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        )
        #expect(record.heads.map(\.status) == [200])
        #expect(record.heads.first?["Link"] == nil)
        #expect(record.text == "ok")
        #expect(record.outcome == .completed)
    }

    @Test func `an interim head alone is not a response`() async throws {
        let record = try await answer("HTTP/1.1 103 Early Hints\r\n\r\n")
        #expect(record.heads.isEmpty)
        #expect(record.failure != nil)
    }

    @Test(arguments: [
        "101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade", "101 X",
    ])
    func `bytes after a protocol switch are not a body`(head: String) async throws {
        let record = try await answer("HTTP/1.1 \(head)\r\n\r\nbytes of something else")
        #expect(record.heads.isEmpty)
        #expect(record.body.isEmpty)
        #expect(record.failure == .malformedResponse, "\(record.message)")
    }

    @Test(arguments: ["gzip", "gzip, chunked", "x-foo", "chunked, chunked"])
    func `an unknown transfer coding is refused`(coding: String) async throws {
        let record = try await answer(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n5\r\n12345\r\n0\r\n\r\n"
        )
        #expect(record.heads.isEmpty && record.body.isEmpty)
        #expect(record.failure == .malformedResponse, "\(record.message)")
    }

    @Test func `the coding identity means no coding`() async throws {
        let record = try await answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n12345")
        #expect(record.text == "12345")
        #expect(record.outcome == .completed, "\(record.message)")
    }

    @Test func `an endless reason phrase is refused`() async throws {
        let record = try await answer("HTTP/1.1 200 " + String(repeating: "x", count: 4 << 20))
        #expect(record.heads.isEmpty)
        #expect(record.failure == .malformedResponse, "\(record.message)")
    }

    @Test(arguments: ["Content-Length: 100", "Content-Length: 100000", "X: 1"])
    func `a redirect does not wait for its body`(framing: String) async throws {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 302 Found\r\nLocation: /b\r\n\(framing)\r\n\r\n")
            connection.waitForClose()
        }
        let sink = RecordingSink(head: { _ in .refuse })
        let record = try await fetch(TransferRequest(url: origin.url()), with: sink)
        #expect(record.heads.map(\.status) == [302])
        #expect(record.outcome == .stopped)
    }

    @Test(arguments: [204, 304, 416])
    func `a head without a body is delivered before the end`(status: Int) async throws {
        let record = try await answer("HTTP/1.1 \(status) So\r\nContent-Length: 0\r\n\r\n")
        #expect(record.heads.map(\.status) == [status])
        #expect(record.body.isEmpty)
        #expect(record.outcome == .completed)
    }

    @Test func `redirects are delivered and not followed`() async throws {
        let record = try await answer(
            "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 2\r\n\r\nno"
        )
        #expect(record.heads.map(\.status) == [302])
        #expect(record.heads.first?["location"] == "/b")
        #expect(record.outcome == .completed)
    }

    @Test func `fields are delivered as received`() async throws {
        let record = try await answer(
            "HTTP/1.1 200\r\nFolded: one\r\n \t two\r\nLatin: caf\u{E9}\r\nEmpty:\r\n"
                + "Spaced : 1\r\nContent-Length: 0\r\n\r\n",
            latin1: true
        )
        let head = try #require(record.heads.first)
        #expect(head.reason == "")
        #expect(head["folded"] == "one two")
        #expect(head["latin"] == "café")
        #expect(head["empty"] == "")
        #expect(head["spaced"] == nil)
    }

    @Test func `trailers are not treated as fields`() async throws {
        let record = try await answer(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nETag: \"t\"\r\n\r\n"
        )
        #expect(record.heads.first?["ETag"] == nil)
        #expect(record.outcome == .completed)
    }

    @Test func `up to a thousand fields are accepted`() async throws {
        func head(_ count: Int) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                + (1..<count).map { "X-\($0): 1\r\n" }.joined() + "\r\n"
        }
        let most = try await answer(head(1_000))
        #expect(most.heads.first?.fields.filter { $0.name != "Date" }.count == 1_000)
        let over = try await answer(head(1_001))
        #expect(over.heads.isEmpty)
        #expect(over.failure == .malformedResponse)
    }

    @Test func `fields of interim heads count, too`() async throws {
        let interim =
            "HTTP/1.1 103 Early Hints\r\n"
            + (0..<300).map { "X-\($0): 1\r\n" }.joined() + "\r\n"
        let record = try await answer(
            String(repeating: interim, count: 4)
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(record.heads.isEmpty)
        #expect(record.failure == .malformedResponse)
    }

    @Test func `a head over 256 KiB is refused`() async throws {
        let line = "X: " + String(repeating: "x", count: 60_000) + "\r\n"
        let record = try await answer(
            "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 5) + "\r\n"
        )
        #expect(record.heads.isEmpty)
        #expect(record.failure == .malformedResponse)
    }

    @Test func `an endless line is refused`() async throws {
        let record = try await answer(
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 4 << 20)
        )
        #expect(record.heads.isEmpty)
        #expect(record.failure == .malformedResponse, "\(record.message)")
    }

    @Test func `an answer that is not HTTP is refused`() async throws {
        let record = try await answer("220 ftp.example ready\r\n")
        #expect(record.heads.isEmpty)
        #expect(record.failure == .malformedResponse, "\(record.message)")
    }

    @Test func `the first round of Digest authentication is not delivered`() async throws {
        let origin = try TestOrigin { connection in
            while true {
                let lines = try connection.readHead()
                guard let line = lines.first(where: { $0.hasPrefix("Authorization: Digest") })
                else {
                    try connection.send(
                        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\nWWW-Authenticate: "
                            + "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n\r\nnope"
                    )
                    continue
                }
                let isRight = line.contains("username=\"me\"") && line.contains("nonce=\"n\"")
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + (isRight ? "ok" : "no")
                )
            }
        }
        var request = try TransferRequest(url: origin.url())
        request.credentials = Credentials(name: "me", password: "secret")
        let record = try await fetch(request)
        #expect(record.heads.map(\.status) == [200])
        #expect(record.text == "ok")
        #expect(record.outcome == .completed)
    }

    @Test func `wrong credentials deliver the 401`() async throws {
        let origin = try TestOrigin { connection in
            while true {
                _ = try connection.readHead()
                try connection.send(
                    "HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n"
                        + "WWW-Authenticate: Basic realm=\"r\"\r\n\r\nnope"
                )
            }
        }
        var request = try TransferRequest(url: origin.url())
        request.credentials = Credentials(name: "me", password: "wrong")
        let record = try await fetch(request)
        #expect(record.heads.map(\.status) == [401])
        #expect(record.text == "nope")
    }

    /// libcurl keeps them in memory.
    @Test func `endless trailers end the transfer`() async throws {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
            )
            let line = "X-Trailer: " + String(repeating: "y", count: 500) + "\r\n"
            // Ends when the client has closed the connection.
            while true { try connection.send(line) }
        }
        let record = try await fetch(TransferRequest(url: origin.url()))
        guard case .failed(let failure) = record.outcome else {
            Issue.record("\(String(describing: record.outcome))")
            return
        }
        #expect(failure.kind == .malformedResponse)
    }

    private func answer(_ text: String, latin1: Bool = false) async throws -> RecordingSink.Record {
        let bytes =
            latin1
            ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send(bytes)
        }
        return try await fetch(TransferRequest(url: origin.url()))
    }
}
