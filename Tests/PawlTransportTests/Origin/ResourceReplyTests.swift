import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ResourceReplyTests {
    let resource = Resource(size: 300_000, seed: 7)

    private func origin(_ reply: Reply) throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        origin.route("/f", reply)
        return origin
    }

    @Test func `the whole file is sent with its validators and its length`() throws {
        let answer = try origin(.resource(resource)).ask("/f")
        #expect(answer.status == 200)
        #expect(answer["Content-Length"] == "300000")
        #expect(answer["ETag"] == "\"v7\"")
        #expect(answer["Last-Modified"] == "Tue, 09 Jan 2024 03:04:05 GMT")
        #expect(answer["Date"] == "Thu, 01 Jan 2026 03:04:05 GMT")
        #expect(answer["Accept-Ranges"] == "bytes")
        #expect(answer.body == resource.bytes())
        #expect(answer.end == .closed)
    }

    @Test(
        arguments: [
            ("0-0", 0, 1), ("100000-199999", 100_000, 200_000), ("299999-", 299_999, 300_000),
            ("5-9999999", 5, 300_000), ("-1000", 299_000, 300_000), ("-400000", 0, 300_000),
        ] as [(String, Int64, Int64)]
    )
    func `a range is sent with its Content-Range`(_ asked: String, _ start: Int64, _ end: Int64)
        throws
    {
        let answer = try origin(.resource(resource)).ask(range: asked)
        #expect(answer.status == 206)
        #expect(answer["Content-Range"] == "bytes \(start)-\(end - 1)/300000")
        #expect(answer["Content-Length"] == "\(end - start)")
        #expect(answer.body == resource.bytes(ByteRange(start, end)))
    }

    @Test(arguments: ["300000-", "-0", "999999999-1000000000"])
    func `a range beyond the end is not satisfiable`(_ asked: String) throws {
        let answer = try origin(.resource(resource)).ask(range: asked)
        #expect(answer.status == 416)
        #expect(answer["Content-Range"] == "bytes */300000")
    }

    @Test(arguments: ["9-5", "a-b", "0-1,5-9", "", "0x1-2", "--5"])
    func `a malformed or multiple range is ignored`(_ asked: String) throws {
        #expect(try origin(.resource(resource)).ask(range: asked).status == 200)
    }

    @Test(
        arguments: [
            ("\"v7\"", 206), ("\"v8\"", 200), ("W/\"v7\"", 200),
            ("Tue, 09 Jan 2024 03:04:05 GMT", 206), ("Wed, 10 Jan 2024 03:04:05 GMT", 200),
        ] as [(String, Int)]
    )
    func `If-Range is honoured`(_ condition: String, _ status: Int) throws {
        let fields = ["Range: bytes=1-2", "If-Range: \(condition)"]
        #expect(try origin(.resource(resource)).ask("/f", fields).status == status)
    }

    @Test func `HEAD has only the head, and other methods are refused`() throws {
        let origin = try origin(.resource(resource))
        let head = try origin.ask("/f", method: "HEAD")
        #expect(head["Content-Length"] == "300000")
        #expect(head.body.isEmpty)
        #expect(try origin.ask("/f", ["Content-Length: 0"], method: "POST").status == 405)
    }

    @Test func `a resource without ranges states that and sends the whole file`() throws {
        var resource = resource
        resource.acceptsRanges = false
        let answer = try origin(.resource(resource)).ask(range: "1-2")
        #expect(answer.status == 200)
        #expect(answer["Accept-Ranges"] == "none")
    }

    @Test func `a connection serves consecutive requests and is counted`() async throws {
        let origin = try origin(.resource(Resource(text: "hello")))
        let client = try RawClient(origin)
        for _ in 1...3 {
            client.ask("/f?query", ["X-Note:  spaced \t"])
            #expect(client.receiveHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(client.receive(5) == Array("hello".utf8))
        }
        let requests = await origin.waitUntil { $0.requests.last?.end != nil }.requests
        #expect(requests.map(\.number) == [1, 2, 3])
        #expect(requests.map(\.connection) == [1, 1, 1])
        #expect(requests.map(\.ordinalOnConnection) == [1, 2, 3])
        #expect(requests.map(\.bodyBytesSent) == [5, 5, 5])
        #expect(requests.allSatisfy { $0.status == 200 && $0.end == .completed })
        #expect(requests.allSatisfy { $0["x-note"] == "spaced" && $0.path == "/f" })
        #expect(requests.map(\.moment) == requests.map(\.moment).sorted())
    }

    @Test func `a replaced resource is served from the next request`() throws {
        let other = Resource(size: 1000, seed: 8)
        let origin = try origin(.resource(resource))
        let client = try RawClient(origin)
        client.ask("/f", ["Connection: close"])
        #expect(client.receive(1).count == 1)
        origin.replace("/f", with: other)
        #expect(client.receiveAll().bytes.suffix(300_000) == resource.bytes()[...])
        #expect(try origin.ask("/f").body == other.bytes())
    }
}
