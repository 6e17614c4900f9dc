import PawlCore
import PawlTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExchangeTests {
    @Test func `a whole response is delivered as head, body, end`() async throws {
        let origin = try TestOrigin { try $0.answer("hello", fields: "X-A: 1\r\nx-a:  2 \r\n") }
        let record = try await fetch(TransferRequest(url: origin.url("/a")))
        let head = try #require(record.heads.first)
        #expect(head.status == 200)
        #expect(head.reason == "OK")
        #expect(head.protocolVersion == "HTTP/1.1")
        #expect(head.values("X-A") == ["1", "2"])
        #expect(try head.url == origin.url("/a"))
        #expect(record.text == "hello")
        #expect(record.outcome == .completed)
        let timings = try #require(record.ends.first?.timings)
        #expect(timings.connected != nil && timings.firstByte != nil && timings.secured == nil)
        #expect(timings.total >= timings.firstByte ?? .zero)
        #expect(timings.remoteAddress == "127.0.0.1")
        #expect(!timings.reusedConnection)
    }

    @Test(arguments: [
        (ByteRange(100, 200), "bytes=100-199"), (ByteRange(7, .max), "bytes=7-"),
        (ByteRange(0, 1), "bytes=0-0"),
    ])
    func `a range is requested`(range: ByteRange, line: String) async throws {
        let lines = try await requestLines { $0.range = range }
        #expect(lines.contains("Range: \(line)"))
    }

    @Test func `fields are sent unchanged, after Accept-Encoding: identity`() async throws {
        let lines = try await requestLines {
            $0.fields = [
                HTTPField(name: "X-One", value: "a;b: c"), HTTPField(name: "X-Two", value: ""),
                HTTPField(name: "Cookie", value: "k=v"),
            ]
            $0.connection.userAgent = "tester/1"
        }
        #expect(lines.first == "GET /f HTTP/1.1")
        let identity = try #require(lines.firstIndex(of: "Accept-Encoding: identity"))
        let one = try #require(lines.firstIndex(of: "X-One: a;b: c"))
        #expect(identity < one)
        #expect(lines.contains { $0.hasPrefix("X-Two:") }, "\(lines)")
        #expect(lines.contains("Cookie: k=v"))
        #expect(lines.contains("User-Agent: tester/1"))
        #expect(!lines.contains { $0.hasPrefix("Range") || $0.hasPrefix("If-Range") })
    }

    @Test(arguments: [
        HTTPField(name: "X", value: "a\r\nEvil: 1"), HTTPField(name: "X\n", value: "a"),
        HTTPField(name: "X", value: "a\0b"), HTTPField(name: "", value: "a"),
        HTTPField(name: "X: y", value: "a"),
    ])
    func `a field that would break the head is refused`(field: HTTPField) async throws {
        let origin = try TestOrigin { try $0.answer("") }
        var request = try TransferRequest(url: origin.url())
        request.fields = [field]
        let record = try await fetch(request)
        #expect(record.failure == .local)
        #expect(record.heads.isEmpty)
        #expect(origin.connections == 0)
    }

    @Test func `credentials with a line break are refused`() async throws {
        let origin = try TestOrigin { try $0.answer("") }
        var request = try TransferRequest(url: origin.url())
        request.credentials = Credentials(name: "a", password: "b\r\nEvil: 1")
        #expect(try await fetch(request).failure == .local)
        #expect(origin.connections == 0)
    }

    @Test func `a connection is reused`() async throws {
        let origin = try TestOrigin { connection in
            while true { try connection.answer("x") }
        }
        try await withTransport(loops: 4) { transport in
            let request = try TransferRequest(url: origin.url())
            let first = try await fetch(request, over: transport)
            let second = try await fetch(request, over: transport)
            #expect(first.ends.first?.timings.reusedConnection == false)
            #expect(second.ends.first?.timings.reusedConnection == true)
            #expect(second.text == "x")
        }
        #expect(origin.connections == 1)
    }

    @Test func `refusing a small body keeps the connection`() async throws {
        let origin = try TestOrigin { connection in
            while true { try connection.answer("moved") }
        }
        try await withTransport { transport in
            let request = try TransferRequest(url: origin.url())
            let refused = try await fetch(
                request,
                with: RecordingSink(head: { _ in .refuse }),
                over: transport
            )
            #expect(refused.outcome == .stopped)
            #expect(refused.body.isEmpty)
            #expect(try await fetch(request, over: transport).text == "moved")
        }
        #expect(origin.connections == 1)
    }

    @Test func `a host name beyond ASCII is sent as punycode`() async throws {
        let host = Completion<String?>()
        let origin = try TestOrigin { connection in
            host.complete(with: try connection.readHead().first { $0.hasPrefix("Host:") })
            try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        // libcurl resolves names under localhost to the loopback address.
        let url = try origin.url(host: "bücher.localhost")
        let record = try await fetch(TransferRequest(url: url))
        #expect(record.outcome == .completed, "\(record.message)")
        #expect(
            await host.waitIgnoringCancellation() == "Host: xn--bcher-kva.localhost:\(origin.port)"
        )
    }

    private func requestLines(
        _ change: (inout TransferRequest) -> Void
    ) async throws -> [String] {
        let lines = Completion<[String]>()
        let origin = try TestOrigin { connection in
            lines.complete(with: try connection.readHead())
            try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        var request = try TransferRequest(url: origin.url("/f"))
        change(&request)
        let record = try await fetch(request)
        #expect(record.outcome == .completed, "\(record.message)")
        return await lines.waitIgnoringCancellation()
    }
}
