import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScriptedOriginTests {
    @Test func `three hundred connections are served at once`() async throws {
        let latch = Latch()
        let resource = Resource(size: 1000)
        let origin = try ScriptedOrigin()
        origin.route("/f", .resource(resource).holdAfterBytes(500, until: latch))
        let clients = try (0..<300).map { _ in try RawClient(origin) }
        for client in clients { client.ask("/f", ["Connection: close"]) }
        await latch.waitForArrivals(300)
        #expect(origin.snapshot.openConnections == 300)
        latch.release()
        for client in clients {
            #expect(RawAnswer(client.receiveAll().bytes, .closed).body == resource.bytes())
        }
        let snapshot = await origin.waitForQuiet()
        #expect(snapshot.peakConnections == 300)
        #expect(snapshot.acceptedConnections == 300)
    }

    @Test func `a stopped origin refuses connections and frees its port`() throws {
        let port = try UnusedPort.find()
        let first = try ScriptedOrigin(port: port)
        first.routeDefault(.status(200))
        #expect(try first.ask("/").status == 200)
        first.stop()
        first.stop()
        #expect(first.snapshot.openConnections == 0)
        #expect(throws: RawClient.Failed.self) { try RawClient(first) }
        let second = try ScriptedOrigin(port: port)
        #expect(try second.ask("/").status == 404)
    }

    @Test func `an origin stops when it is released`() throws {
        var origin: ScriptedOrigin? = try ScriptedOrigin()
        origin?.routeDefault(.never)
        let client = try RawClient(#require(origin))
        client.ask("/")
        origin = nil
        #expect(client.receiveAll().bytes.isEmpty)
    }

    @Test func `waiting ends when its task is cancelled`() async throws {
        let origin = try ScriptedOrigin()
        let waiting = Task { await origin.waitForRequests(1).count }
        waiting.cancel()
        #expect(await waiting.value == 0)
    }

    @Test func `URLs name the scheme, the host and the port`() throws {
        let plain = try ScriptedOrigin()
        #expect(plain.url("/f") == "http://127.0.0.1:\(plain.port)/f")
        #expect(plain.url("/f", host: "localhost") == "http://localhost:\(plain.port)/f")
        #expect(try ScriptedOrigin(tls: true).url("/").hasPrefix("https://"))
    }
}

@Suite(.timeLimit(.minutes(5)))
struct SecureOriginTests {
    private func ask(_ origin: ScriptedOrigin, host: String = "localhost") async throws
        -> FinishedProcess
    {
        let folder = try ScratchFolder()
        try folder.write("ca.pem", try #require(origin.certificatePEM))
        return try await ProcessRunner.run(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(origin.port)", "-quiet",
                "-verify_return_error", "-CAfile", folder.path("ca.pem"),
                "-verify_hostname", host,
            ],
            ProcessSettings(input: "GET /f HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        )
    }

    @Test func `the certificate is accepted for its names and the answer is whole`() async throws {
        let origin = try ScriptedOrigin(tls: true)
        origin.route("/f", .resource(Resource(text: "secret")))
        let result = try await ask(origin)
        #expect(result.output.hasSuffix("\r\n\r\nsecret"), "\(result.errors)")
        #expect(!result.errors.contains("unexpected eof"))
    }

    @Test func `a close without notification is detected`() async throws {
        let origin = try ScriptedOrigin(tls: true)
        let cut = Reply.resource(Resource(text: "secret")).afterBytes(3, .closeWithoutNotify)
        origin.route("/f", cut)
        let result = try await ask(origin)
        #expect(result.output.hasSuffix("\r\n\r\nsec"))
        #expect(result.errors.contains("unexpected eof"))
    }

    @Test func `certificates for another host or time are refused`() async throws {
        let elsewhere = try ScriptedOrigin(certificate: .otherHost)
        #expect(try await ask(elsewhere).errors.contains("ostname mismatch"))
        let expired = try ScriptedOrigin(certificate: .expired)
        #expect(try await ask(expired).errors.contains("expired"))
        #expect(elsewhere.requests.isEmpty && expired.requests.isEmpty)
    }
}
