import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BrokenReplyTests {
    let resource = Resource(size: 10_000, seed: 3)

    private func part(_ start: Int64, _ end: Int64) -> [UInt8] {
        resource.bytes(ByteRange(start, end))
    }

    private func ask(_ reply: Reply, range: String = "100-199") throws -> RawAnswer {
        let origin = try ScriptedOrigin()
        origin.route("/f", reply)
        return try origin.ask(range: range)
    }

    @Test func `an ignored range gives 200 and the whole file`() throws {
        let answer = try ask(.resource(resource).ignoreRange)
        #expect(answer.status == 200)
        #expect(answer["Accept-Ranges"] == "bytes")
        #expect(answer.body == resource.bytes())
    }

    @Test func `some servers ignore a range if If-Range is sent`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .resource(resource).ignoreRangeWithIfRange)
        let tag = try #require(resource.entityTag)
        #expect(try origin.ask(range: "1-2").status == 206)
        #expect(try origin.ask("/f", ["Range: bytes=1-2", "If-Range: \(tag)"]).status == 200)
    }

    @Test func `a shifted range is named truthfully`() throws {
        let answer = try ask(.resource(resource).shiftRange(by: 50))
        #expect(answer["Content-Range"] == "bytes 150-249/10000")
        #expect(answer.body == part(150, 250))
        let back = try ask(.resource(resource).shiftRange(by: -5000))
        #expect(back["Content-Range"] == "bytes 0-0/10000")
    }

    @Test func `a limited range is shorter and named truthfully`() throws {
        let answer = try ask(.resource(resource).limitRange(to: 30), range: "100-")
        #expect(answer["Content-Range"] == "bytes 100-129/10000")
        #expect(answer.body == part(100, 130))
    }

    @Test func `a surplus in a 206 counts only in its length`() throws {
        let answer = try ask(.resource(resource).surplus(7))
        #expect(answer["Content-Range"] == "bytes 100-199/10000")
        #expect(answer["Content-Length"] == "107")
        #expect(answer.body == part(100, 200) + [UInt8](repeating: 0x21, count: 7))
    }

    @Test func `a surplus in a 200 follows its length`() throws {
        let answer = try ask(.resource(resource).ignoreRange.surplus(7))
        #expect(answer["Content-Length"] == "10000")
        #expect(answer.body.count == 10_007)
    }

    @Test func `a short body closes before its length`() throws {
        let answer = try ask(.resource(resource).short(40))
        #expect(answer["Content-Length"] == "100")
        #expect(answer.body == part(100, 160))
        #expect(answer.end == .closed)
    }

    @Test func `Content-Range can be missing, wrong, or without a total`() throws {
        let bare = try ask(.resource(resource).noContentRange)
        #expect(bare.status == 206)
        #expect(bare["Content-Range"] == nil)
        let wrong = try ask(.resource(resource).wrongTotal(by: 1))
        #expect(wrong["Content-Range"] == "bytes 100-199/10001")
        let unknown = try ask(.resource(resource).unknownTotal)
        #expect(unknown["Content-Range"] == "bytes 100-199/*")
        let lie = try ask(.resource(resource).contentRange("bytes 9-5/10000"))
        #expect(lie["Content-Range"] == "bytes 9-5/10000")
        #expect(lie.body == part(100, 200))
    }

    @Test func `a multipart answer wraps the range`() throws {
        let answer = try ask(.resource(resource).multipart)
        #expect(answer.status == 206)
        #expect(answer["Content-Type"] == "multipart/byteranges; boundary=pawl-boundary")
        #expect(answer["Content-Range"] == nil)
        #expect(answer["Content-Length"] == "\(answer.body.count)")
        let inner = RawAnswer(answer.body, .closed)
        #expect(inner["Content-Range"] == "bytes 100-199/10000")
        #expect(inner.body.starts(with: part(100, 200)))
        #expect(inner.body.suffix(21) == Array("\r\n--pawl-boundary--\r\n".utf8)[...])
    }

    @Test func `chunks carry the bytes and end with the last chunk`() throws {
        let answer = try ask(.resource(resource).chunked())
        #expect(answer["Content-Length"] == nil)
        #expect(answer["Transfer-Encoding"] == "chunked")
        let expected = Array("64\r\n".utf8) + part(100, 200) + Array("\r\n0\r\n\r\n".utf8)
        #expect(answer.body == expected)
    }

    @Test func `improper chunks lack the last one`() throws {
        let answer = try ask(.resource(resource).chunked(endsProperly: false))
        #expect(answer.body == Array("64\r\n".utf8) + part(100, 200) + [13, 10])
        #expect(answer.end == .closed)
    }

    @Test func `closing the connection can end a body`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .resource(resource).closeDelimited)
        let client = try RawClient(origin)
        client.ask("/f")
        let (bytes, end) = client.receiveAll()
        let answer = RawAnswer(bytes, end)
        #expect(answer["Content-Length"] == nil)
        #expect(answer["Connection"] == "close")
        #expect(answer.body == resource.bytes())
        #expect(end == .closed)
    }

    @Test func `a reply can change fields of the head`() throws {
        let reply = Reply.resource(resource)
        #expect(try ask(reply.omitValidators)["ETag"] == nil)
        #expect(try ask(reply.omitValidators)["Last-Modified"] == nil)
        #expect(try ask(reply.weakEntityTag)["ETag"] == "W/\"v3\"")
        #expect(try ask(reply.contentEncoding("gzip"))["Content-Encoding"] == "gzip")
        #expect(try ask(reply.setting("Content-Length", "-5"))["Content-Length"] == "-5")
        #expect(try ask(reply.removing("Date"))["Date"] == nil)
        #expect(try ask(reply.reason("Fine")).head.hasPrefix("HTTP/1.1 206 Fine\r\n"))
        let large = try ask(reply.padded(fields: 1000, bytes: 300))
        #expect(large["X-Padding-999"]?.count == 300)
        #expect(large.body == part(100, 200))
        let twice = try ask(reply.adding("Content-Length", "1").adding("Content-Length", "2"))
        #expect(twice.head.contains("Content-Length: 1\r\nContent-Length: 2"))
    }

    @Test func `each response can have its own entity tag`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .resource(resource).entityTagPerRequest)
        #expect(try origin.ask("/f")["ETag"] == "\"request-1\"")
        #expect(try origin.ask("/f")["ETag"] == "\"request-2\"")
    }

    @Test func `interim responses precede the head`() throws {
        let early = "HTTP/1.1 103 Early Hints\r\n\r\n"
        let answer = try ask(.resource(resource).preceded(by: early))
        #expect(answer.status == 103)
        #expect(answer.text.hasPrefix("HTTP/1.1 206 "))
    }

    @Test func `raw bytes are sent unchanged`() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"
        let answer = try ask(.raw(text))
        #expect(answer.head + "\r\n\r\n" + answer.text == text)
        #expect(answer.end == .closed)
    }

    @Test func `a status is sent with its fields and its body`() throws {
        let answer = try ask(.status(429, fields: [("Retry-After", "1")], body: "slow down"))
        #expect(answer.status == 429)
        #expect(answer["Retry-After"] == "1")
        #expect(answer.text == "slow down")
        #expect(try ask(.status(204))["Content-Length"] == nil)
        let portal = try ask(.htmlPortal)
        #expect(portal.status == 200)
        #expect(portal["Content-Type"] == "text/html; charset=utf-8")
        #expect(portal["ETag"] == nil)
    }
}
