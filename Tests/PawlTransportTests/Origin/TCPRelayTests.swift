import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TCPRelayTests {
    private let origin: ScriptedOrigin
    private let relay: TCPRelay

    init() throws {
        origin = try ScriptedOrigin()
        origin.routeDefault(.status(200, body: "hello"))
        relay = try TCPRelay(to: .port(origin.port))
    }

    private func client() throws -> RawClient { try RawClient(port: relay.port) }

    /// Sends a request whose answer ends the connection.
    private func ask(_ target: String = "/f") throws -> RawClient {
        let client = try client()
        client.ask(target, ["Connection: close"])
        return client
    }

    /// The size of the whole answer.
    private func answerSize() throws -> Int { try ask().receiveAll().bytes.count }

    @Test func `all bytes pass in both directions and are counted`() async throws {
        let body = [UInt8](repeating: 7, count: 3_000_000)
        origin.route("/large", .resource(Resource(bytes: body)))
        let request = "PUT /large2 HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n"
        let client = try client()
        client.send(Array(request.utf8) + body)
        client.ask("/large", ["Connection: close"])
        let (bytes, end) = client.receiveAll()
        #expect(end == .closed)
        #expect(bytes.suffix(body.count).elementsEqual(body))
        #expect(origin.requests.first?.body == body)
        client.finishSending()
        let snapshot = await relay.waitUntil { $0.open == 0 }
        #expect(snapshot.connections == 1)
        #expect(snapshot.cuts == 0)
        #expect(snapshot.bytes[.toClient] == bytes.count)
        #expect((snapshot.bytes[.toServer] ?? 0) > request.utf8.count + body.count)
    }

    @Test func `a Unix socket can be the server`() async throws {
        let folder = try ScratchFolder()
        let script = """
            import socket, sys
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            server.listen()
            print("ready", flush=True)
            client = server.accept()[0]
            client.sendall(client.recv(5)[::-1])
            """
        let server = try ProcessRunner("python3", ["-c", script, folder.path("socket")])
        #expect(await server.waitForOutput(containing: "ready"))
        let relay = try TCPRelay(to: .socket(folder.path("socket")))
        let client = try RawClient(port: relay.port)
        client.send(Array("hello".utf8))
        #expect(client.receive(5) == Array("olleh".utf8))
        client.finishSending()
        #expect(client.receiveAll().end == .closed)
        #expect(await server.waitForExit() == .code(0))
    }

    @Test func `a relay to no server breaks connections`() throws {
        let relay = try TCPRelay(to: .port(UnusedPort.find()))
        #expect(try RawClient(port: relay.port).receiveAll().bytes.isEmpty)
    }

    @Test func `answers wait while their direction is held`() async throws {
        relay.hold([.toClient])
        let client = try ask()
        await origin.waitForBytes(5)
        #expect(relay.snapshot.bytes[.toClient] == 0)
        #expect(relay.snapshot.open == 1)
        relay.resume()
        #expect(RawAnswer(client.receiveAll().bytes, .closed).text == "hello")
    }

    @Test func `requests wait while their direction is held`() throws {
        relay.hold([.toServer])
        let client = try ask("/held")
        #expect(try origin.ask("/direct").status == 200)
        #expect(origin.requests.map(\.path) == ["/direct"])
        relay.resume()
        #expect(RawAnswer(client.receiveAll().bytes, .closed).text == "hello")
        #expect(origin.requests.map(\.path) == ["/direct", "/held"])
    }

    @Test func `connections are refused, and accepted at the same port again`() async throws {
        let open = try client()
        await relay.waitUntil { $0.open == 1 }
        relay.refuse()
        #expect(throws: RawClient.Failed.self) { try client() }
        open.ask("/f", ["Connection: close"])
        #expect(RawAnswer(open.receiveAll().bytes, .closed).text == "hello")
        relay.accept()
        relay.accept()
        #expect(try RawAnswer(ask().receiveAll().bytes, .closed).text == "hello")
    }

    @Test(arguments: [Ending.reset, .close])
    func `all connections break, and new ones do not`(ending: Ending) async throws {
        let latch = Latch()
        origin.route("/f", Reply.status(200, body: "hello").holdAfterBytes(2, until: latch))
        let clients = [try ask(), try ask()]
        await latch.waitForArrivals(2)
        // The two bytes and their heads have been sent, and pass by themselves.
        let heads = clients.map { $0.receiveHead() }
        #expect(heads.allSatisfy { $0.hasPrefix("HTTP/1.1 200") })
        for client in clients { #expect(client.receive(2) == Array("he".utf8)) }
        relay.cutAll(ending)
        for client in clients {
            let (bytes, end) = client.receiveAll()
            #expect(bytes.isEmpty)
            #expect(end == (ending == .reset ? .reset : .closed))
        }
        #expect(relay.snapshot.cuts == 2)
        #expect(relay.snapshot.open == 0)
        latch.release()
        #expect(try RawAnswer(ask().receiveAll().bytes, .closed).text == "hello")
    }

    @Test func `an answer breaks after any number of bytes`() throws {
        let size = try answerSize()
        for count in [0, 1, 2, 17, size - 1] {
            relay.cut(.bytes(count, .toClient))
            let (bytes, end) = try ask().receiveAll()
            #expect(bytes.count == count)
            #expect(end == .reset)
        }
        relay.cut(.bytes(size, .toClient))
        let (bytes, end) = try ask().receiveAll()
        #expect(bytes.count == size)
        #expect(end == .closed)
        #expect(relay.snapshot.cuts == 5)
    }

    @Test func `a text that is not forwarded does not reach the server`() async throws {
        relay.cut(.text("COMMIT", .toServer, isForwarded: false))
        let client = try client()
        client.ask("/before")
        #expect(client.receiveHead().hasPrefix("HTTP/1.1 200"))
        client.ask("/COMMIT")
        #expect(client.receiveAll().end == .reset)
        #expect(origin.requests.map(\.path) == ["/before"])
        // It applies to one connection.
        #expect(try RawAnswer(ask("/COMMIT").receiveAll().bytes, .closed).status == 200)
    }

    @Test func `a text in two pieces is found, and can be forwarded`() async throws {
        relay.cut(.text("COMMIT HTTP/1.1\r\n\r\n", .toServer, isForwarded: true))
        let client = try client()
        let (first, second) = ("GET /COM", "MIT HTTP/1.1\r\n\r\n")
        client.send(Array(first.utf8))
        await relay.waitUntil { $0.bytes[.toServer] == first.utf8.count }
        client.send(Array(second.utf8))
        #expect(client.receiveAll().end == .reset)
        #expect(await origin.waitForRequests(1).map(\.path) == ["/COMMIT"])
    }

    @Test func `the answer to a text breaks after any number of bytes`() async throws {
        let size = try answerSize()
        for count in [0, 1, size - 1] {
            relay.cut(.answer(to: "COMMIT", bytes: count))
            let before = origin.requests.count
            let client = try client()
            client.ask("/before")
            #expect(RawAnswer(client.receive(size), .closed).status == 200)
            client.ask("/COMMIT", ["Connection: close"])
            let (bytes, end) = client.receiveAll()
            #expect(bytes.count == count)
            #expect(end == .reset)
            #expect(origin.requests.count == before + 2)
        }
    }

    @Test func `points can be removed, and apply to several connections`() throws {
        relay.cut(.bytes(0, .toClient), times: 2)
        for _ in 0..<2 { #expect(try ask().receiveAll().bytes.isEmpty) }
        #expect(try ask().receiveAll().end == .closed)
        relay.cut(.bytes(0, .toClient), times: 9)
        relay.removeCuts()
        #expect(try ask().receiveAll().end == .closed)
        relay.stop()
        relay.stop()
        #expect(throws: RawClient.Failed.self) { try client() }
    }
}
