import Glibc
import PawlCore
import PawlTesting
import Testing

/// How the scripted origin reads the bodies of requests.
@Suite(.timeLimit(.minutes(5)))
struct RequestBodyTests {
    @Test func `a body with a length is read before the reply`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .status(200))
        let client = try RawClient(origin)
        client.ask("/f", ["Content-Length: 5"], method: "POST")
        client.send("hello")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 200 "))
        #expect(origin.requests.first?.body == Array("hello".utf8))
    }

    @Test func `a body in chunks is decoded, with the fields that follow it`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .status(200))
        let client = try RawClient(origin)
        client.ask("/f", ["Transfer-Encoding: chunked"], method: "POST")
        client.send("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nDigest: 1\r\n\r\n")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 200 "))
        #expect(origin.requests.first?.body == Array("hello world".utf8))
        #expect(origin.requests.first?.trailers == [HTTPField(name: "Digest", value: "1")])
        // The connection can be used again.
        client.ask("/f")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a client that waits for consent receives it`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .status(200))
        let client = try RawClient(origin)
        client.ask("/f", ["Content-Length: 1", "Expect: 100-continue"], method: "PUT")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 100 "))
        client.send("x")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a reply can answer before the body, and read it piece by piece`() throws {
        let origin = try ScriptedOrigin()
        origin.route(
            "/f",
            .custom { _, connection in
                try connection.send("HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n")
                var pieces: [[UInt8]] = []
                while case let piece = try connection.readBody(atMost: 2), !piece.isEmpty {
                    pieces.append(piece)
                }
                #expect(pieces.allSatisfy { $0.count <= 2 })
                try connection.send("ok")
            },
            readsBody: true
        )
        let client = try RawClient(origin)
        client.ask("/f", ["Content-Length: 5"], method: "POST")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 202 "))
        client.send("hello")
        #expect(client.receive(2) == Array("ok".utf8))
        #expect(origin.requests.first?.body == Array("hello".utf8))
    }

    @Test func `replies read the bodies that the ledger does not keep`() throws {
        let origin = try ScriptedOrigin(keepsBodies: false)
        origin.route(
            "/f",
            .custom { exchange, connection in
                let body = try connection.readWholeBody()
                try connection.send(Reply.status(200, body: "\(body.count)").plan(exchange))
            },
            readsBody: true
        )
        let client = try RawClient(origin)
        client.ask("/f", ["Content-Length: 5", "Connection: close"], method: "POST")
        client.send("hello")
        #expect(RawAnswer(client.receiveAll().bytes, .closed).text == "5")
        #expect(origin.requests.map(\.body) == [[]])
    }

    @Test func `what a reply leaves of the body does not become the next request`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .status(403), readsBody: true)
        origin.route("/g", .status(204))
        let client = try RawClient(origin)
        client.ask("/f", ["Content-Length: 5"], method: "POST")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 403 "))
        client.send("hello")
        client.ask("/g")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 204 "))
        #expect(origin.requests.map(\.body) == [[], []])
    }
}
