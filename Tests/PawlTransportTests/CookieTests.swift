import PawlCore
import PawlTesting
import Synchronization
import Testing

/// Cookies that servers set, handled by libcurl.
///
/// All requests use one handle, one after the other.
@Suite(.timeLimit(.minutes(5)))
struct CookieTests {
    private struct Visit {
        let jar: CookieJar?
        /// The values of the answer's `Set-Cookie` fields, one per line.
        var answer: [String] = []
        var path = "/"
        var host = "127.0.0.1"
        var own: String?
    }

    /// The `Cookie` field of each visit.
    private func cookies(of visits: Visit...) async throws -> [String] {
        let sent = Mutex<[String]>([])
        let origin = try TestOrigin { connection in
            while true {
                let lines = try connection.readHead()
                let cookie = lines.first { $0.hasPrefix("Cookie: ") }?.dropFirst(8)
                let count = sent.withLock { list in
                    list.append(cookie.map(String.init) ?? "-")
                    return list.count
                }
                let fields = visits[count - 1].answer.map { "Set-Cookie: \($0)\r\n" }.joined()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(fields)\r\n")
            }
        }
        try await withTransport { transport in
            for visit in visits {
                var request = try TransferRequest(url: origin.url(visit.path, host: visit.host))
                request.cookies = visit.jar
                if let own = visit.own {
                    request.fields = [HTTPField(name: "Cookie", value: own)]
                }
                let record = try await fetch(request, over: transport)
                #expect(record.outcome == .completed, "\(record.message)")
            }
        }
        return sent.withLock { $0 }
    }

    @Test func `a cookie set by a server is sent beside the request's own`() async throws {
        let jar = CookieJar()
        let sent = try await cookies(
            of: Visit(jar: jar, answer: ["id=7; Path=/", "deep=1; Path=/a; HttpOnly"]),
            Visit(jar: jar),
            Visit(jar: jar, path: "/a/b"),
            Visit(jar: jar, own: "own=1")
        )
        #expect(sent == ["-", "id=7", "deep=1; id=7", "id=7; own=1"])
    }

    @Test func `a value that is not UTF-8 is sent back as it was received`() async throws {
        let value: [UInt8] = [0x61, 0xE9, 0xFF, 0xC3, 0xA9]
        let received = Mutex<[[String]]>([])
        let origin = try TestOrigin { connection in
            while true {
                let head = try connection.readHead()
                received.withLock { $0.append(head) }
                try connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8))
                let field = Array("Set-Cookie: id=".utf8) + value
                try connection.send(field + Array("\r\n\r\n".utf8))
            }
        }
        let jar = CookieJar()
        try await withTransport { transport in
            for _ in 0..<3 {
                var request = try TransferRequest(url: origin.url("/"))
                request.cookies = jar
                let record = try await fetch(request, over: transport)
                #expect(record.outcome == .completed, "\(record.message)")
            }
        }
        // The origin reads each byte as a scalar.
        var line = "Cookie: id="
        for byte in value { line.unicodeScalars.append(Unicode.Scalar(byte)) }
        #expect(received.withLock { $0 }.map { $0.contains(line) } == [false, true, true])
        #expect(jar.cookies.count == 1)
    }

    @Test func `a jar is isolated from other jars`() async throws {
        let (mine, other) = (CookieJar(), CookieJar())
        let sent = try await cookies(
            of: Visit(jar: mine, answer: ["id=mine"]),
            Visit(jar: other),
            Visit(jar: other, answer: ["id=other"]),
            Visit(jar: mine),
            Visit(jar: other),
            Visit(jar: nil, answer: ["id=none"]),
            Visit(jar: nil),
            Visit(jar: mine)
        )
        #expect(sent == ["-", "-", "-", "id=mine", "id=other", "-", "-", "id=mine"])
    }

    @Test func `a request without a jar sends only its own cookies`() async throws {
        let sent = try await cookies(
            of: Visit(jar: nil, answer: ["id=7"]),
            Visit(jar: nil, own: "own=1")
        )
        #expect(sent == ["-", "own=1"])
    }

    @Test func `a server can replace and remove a cookie`() async throws {
        let jar = CookieJar()
        let sent = try await cookies(
            of: Visit(jar: jar, answer: ["id=1", "more=1"]),
            Visit(jar: jar, answer: ["id=2"]),
            Visit(jar: jar, answer: ["id=; Max-Age=0"]),
            Visit(jar: jar)
        )
        #expect(sent[1].split(separator: "; ").sorted() == ["id=1", "more=1"])
        #expect(sent[2].split(separator: "; ").sorted() == ["id=2", "more=1"])
        #expect(sent[3] == "more=1")
    }

    @Test func `a cookie is sent only to its host`() async throws {
        let jar = CookieJar()
        let sent = try await cookies(
            of: Visit(jar: jar, answer: ["id=1"], host: "localhost"),
            Visit(jar: jar),
            Visit(jar: jar, host: "localhost")
        )
        #expect(sent == ["-", "-", "id=1"])
    }
}
