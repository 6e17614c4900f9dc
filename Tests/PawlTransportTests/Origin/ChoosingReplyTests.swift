import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ChoosingReplyTests {
    let resource = Resource(text: "the file")

    private func origin(_ reply: Reply) throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        origin.route("/f", reply)
        return origin
    }

    @Test func `a sequence answers in order and repeats its last reply`() throws {
        let origin = try origin(
            .sequence([.status(503), .status(500), .resource(resource)])
        )
        #expect(try (0..<4).map { _ in try origin.ask("/f").status } == [503, 500, 200, 200])
    }

    @Test func `another reply takes over from request n, and modifiers apply to both`() throws {
        let reply = Reply.resource(resource).from(request: 3, .status(404)).adding("X-All", "1")
        let origin = try origin(reply)
        let answers = try (0..<3).map { _ in try origin.ask("/f") }
        #expect(answers.map(\.status) == [200, 200, 404])
        #expect(answers.allSatisfy { $0["X-All"] == "1" })
    }

    @Test func `ranges and connections can be answered differently`() throws {
        let origin = try origin(
            .resource(resource).forRanges(.status(500)).forConnections(.status(502)) { $0 == 3 }
        )
        #expect(try origin.ask("/f").status == 200)
        #expect(try origin.ask(range: "0-1").status == 500)
        #expect(try origin.ask("/f").status == 502)
        origin.route("/g", .byConnection { .status(200 + $0) })
        #expect(try origin.ask("/g").status == 204)
    }

    @Test func `credentials are requested and checked`() throws {
        let origin = try origin(.resource(resource).requireBasic(name: "me", password: "pw"))
        let refused = try origin.ask("/f")
        #expect(refused.status == 401)
        #expect(refused["WWW-Authenticate"] == "Basic realm=\"origin\"")
        #expect(try origin.ask("/f", ["Authorization: Basic bWU6cHc="]).status == 200)
    }

    @Test func `each target of a folder expires by itself`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/start", .redirect { "/signed/f?key=\($0.ordinal)" })
        origin.route("/signed/*", .resource(resource).expireAfter(requests: 2))
        #expect(try origin.ask("/start")["Location"] == "/signed/f?key=1")
        #expect(try origin.ask("/start")["Location"] == "/signed/f?key=2")
        #expect(
            try (0..<3).map { _ in try origin.ask("/signed/f?key=1").status } == [200, 200, 403]
        )
        #expect(try origin.ask("/signed/f?key=2").status == 200)
        #expect(origin.requests(to: "/signed/f").count == 4)
    }

    @Test func `a target with its query precedes its path, the path its folder`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/a/*", .status(501))
        origin.route("/a/b", .status(502))
        origin.route("/a/b?c", .status(503))
        let targets = ["/a/x", "/a/b?d", "/a/b?c", "/elsewhere"]
        #expect(try targets.map { try origin.ask($0).status } == [501, 502, 503, 404])
        origin.routeDefault(.redirect(to: "/a/x", status: 307))
        #expect(try origin.ask("/elsewhere")["Location"] == "/a/x")
    }

    @Test func `above the limit of a gate another reply is sent until there is room`() async throws
    {
        let latch = Latch()
        let gate = HostGate(limit: 2)
        let origin = try origin(
            .resource(resource).holdAfterBytes(1, until: latch).admitted(by: gate)
        )
        let clients = try (0..<2).map { _ in try RawClient(origin) }
        for client in clients { client.ask("/f", ["Connection: close"]) }
        await latch.waitForArrivals(2)
        #expect(try origin.ask("/f").status == 503)
        latch.release()
        for client in clients { _ = client.receiveAll() }
        await origin.waitForQuiet()
        #expect(try origin.ask("/f").status == 200)
        #expect(gate.peak == 2)
        #expect(gate.refused == 1)
    }

    @Test func `a custom reply writes to the connection itself`() async throws {
        let origin = try origin(
            .custom { exchange, connection in
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
                try connection.send(Array("\(exchange.ordinal)xy".utf8))
                try connection.end(.close)
            }
        )
        #expect(try origin.ask("/f").text == "1xy")
        #expect(try origin.ask("/f").text == "2xy")
        let requests = await origin.waitForQuiet().requests
        #expect(requests.map(\.bodyBytesSent) == [3, 3])
        #expect(requests.map(\.end) == [.cut, .cut])
    }

    @Test func `a custom reply can send another reply's plan`() throws {
        let inner = Reply.resource(resource)
        let origin = try origin(
            .custom { exchange, connection in
                try connection.send(inner.plan(exchange), method: exchange.request.method)
            }
        )
        #expect(try origin.ask("/f").text == "the file")
    }
}
