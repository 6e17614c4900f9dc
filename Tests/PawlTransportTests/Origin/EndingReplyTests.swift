import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EndingReplyTests {
    let resource = Resource(size: 3_000_000, seed: 5)

    private func connect(_ reply: Reply) throws -> (ScriptedOrigin, RawClient) {
        let origin = try ScriptedOrigin()
        origin.route("/f", reply)
        let client = try RawClient(origin)
        client.ask("/f")
        return (origin, client)
    }

    @Test func `a reset comes after exactly n bytes`() async throws {
        let (origin, client) = try connect(.resource(resource).afterBytes(2_000_001, .reset))
        _ = client.receiveHead()
        let (bytes, end) = client.receiveAll()
        #expect(bytes == resource.bytes(ByteRange(0, 2_000_001)))
        #expect(end == .reset)
        let request = try #require(await origin.waitForQuiet().requests.first)
        #expect(request.bodyBytesSent == 2_000_001)
        #expect(request.end == .cut)
    }

    @Test(arguments: [Ending.close, .closeWithoutNotify])
    func `a close comes after exactly n bytes`(_ ending: Ending) throws {
        let (origin, client) = try connect(.resource(resource).afterBytes(1, ending))
        _ = client.receiveHead()
        let (bytes, end) = client.receiveAll()
        #expect(bytes == resource.bytes(ByteRange(0, 1)))
        #expect(end == .closed)
        _ = origin
    }

    @Test func `a mark beyond the end is never reached`() throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .resource(resource).afterBytes(3_000_001, .reset))
        #expect(try origin.ask("/f").body == resource.bytes())
    }

    @Test func `a stalled body sends no more bytes`() async throws {
        let (origin, client) = try connect(.resource(resource).stallAfterBytes(10))
        await origin.waitForBytes(10)
        #expect(origin.snapshot.activeExchanges == 1)
        origin.breakConnections()
        _ = client.receiveHead()
        let (bytes, end) = client.receiveAll()
        #expect(bytes.count == 10)
        #expect(end == .closed)
        #expect(await origin.waitForQuiet().requests.first?.end == .abandoned)
    }

    @Test func `a client that leaves ends a stall`() async throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .never)
        do {
            let client = try RawClient(origin)
            client.ask("/f")
            await origin.waitForRequests(1)
        }
        let snapshot = await origin.waitForQuiet()
        #expect(snapshot.requests.first?.end == .abandoned)
        #expect(snapshot.requests.first?.status == nil)
    }

    @Test func `a client that leaves ends a body`() async throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .resource(Resource(size: 1 << 40)))
        do {
            let client = try RawClient(origin)
            client.ask("/f")
            #expect(client.receive(1000).count == 1000)
        }
        #expect(await origin.waitForQuiet().requests.first?.end == .abandoned)
    }

    @Test func `a held body waits for the test`() async throws {
        let latch = Latch()
        let (origin, client) = try connect(
            .resource(resource).holdAfterBytes(1_000_000, until: latch)
        )
        await latch.waitForArrivals()
        #expect(origin.snapshot.bodyBytesSent == 1_000_000)
        _ = client.receiveHead()
        #expect(client.receive(1_000_000).count == 1_000_000)
        latch.release()
        #expect(client.receive(2_000_000) == resource.bytes(ByteRange(1_000_000, 3_000_000)))
    }

    @Test func `a mark can run code in the middle of a body`() throws {
        let origin = try ScriptedOrigin()
        let other = Resource(size: 10, seed: 6)
        origin.route(
            "/f",
            .resource(resource).afterBytes(1000) { [weak origin] in
                origin?.replace("/f", with: other)
            }
        )
        #expect(try origin.ask("/f").body == resource.bytes())
        #expect(try origin.ask("/f").body == other.bytes())
    }

    @Test func `an exchange can end without an answer`() throws {
        let (origin, client) = try connect(.hangUp(.reset))
        let (bytes, end) = client.receiveAll()
        #expect(bytes.isEmpty)
        #expect(end == .reset)
        _ = origin
    }

    @Test func `endless replies repeat until the client leaves`() async throws {
        let origin = try ScriptedOrigin()
        origin.route("/f", .endless("HTTP/1.1 200 OK\r\n", repeating: "X: y\r\n"))
        do {
            let client = try RawClient(origin)
            client.ask("/f")
            let text = String(decoding: client.receive(100_001), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nX: y\r\nX: y\r\n"))
        }
        await origin.waitForQuiet()
    }

    @Test func `a rate slows each response`() throws {
        let clock = SystemTimekeeper()
        let start = clock.now()
        let origin = try ScriptedOrigin()
        origin.route("/f", .resource(Resource(size: 20_000)).rate(100_000))
        #expect(try origin.ask("/f").body.count == 20_000)
        #expect(clock.now() - start >= .milliseconds(150))
    }

    @Test func `a rate can depend on the connection, and a head can be late`() throws {
        let clock = SystemTimekeeper()
        let origin = try ScriptedOrigin()
        let slow = Reply.resource(Resource(size: 20_000)).perConnectionRate {
            $0 == 2 ? 100_000 : nil
        }
        origin.route("/f", slow)
        origin.route("/late", .resource(Resource(size: 1)).delayHead(.milliseconds(100)))
        _ = try origin.ask("/f")
        var start = clock.now()
        _ = try origin.ask("/f")
        #expect(clock.now() - start >= .milliseconds(150))
        start = clock.now()
        _ = try origin.ask("/late")
        #expect(clock.now() - start >= .milliseconds(100))
    }

    @Test func `bodies share a link`() throws {
        let clock = SystemTimekeeper()
        let link = SharedLink(bytesPerSecond: 200_000)
        let origin = try ScriptedOrigin()
        origin.route("/f", .resource(Resource(size: 20_000)).through(link))
        let start = clock.now()
        let clients = try (0..<2).map { _ in try RawClient(origin) }
        for client in clients { client.ask("/f", ["Connection: close"]) }
        for client in clients { #expect(client.receiveAll().bytes.count > 20_000) }
        #expect(clock.now() - start >= .milliseconds(180))
    }

    @Test func `a greeting replaces the conversation`() async throws {
        let origin = try ScriptedOrigin()
        origin.greet(.raw(Array("SSH-2.0\r\n".utf8)))
        #expect(try RawClient(origin).receiveAll() == (Array("SSH-2.0\r\n".utf8), .closed))
        origin.greet(.hangUp(.reset))
        #expect(try RawClient(origin).receiveAll().end == .reset)
        origin.greet(.silence)
        let client = try RawClient(origin)
        client.ask("/f")
        await origin.waitUntil { $0.acceptedConnections == 3 }
        origin.stop()
        #expect(client.receiveAll().bytes.isEmpty)
        #expect(origin.requests.isEmpty)
    }
}
