import struct FoundationEssentials.Date
import Pawl
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// A client waits for a daemon over TCP that has answered before.
@Suite(.timeLimit(.minutes(5)))
struct RemoteDaemonRetryTests {
    private let folder: ScratchFolder
    private let paths: DaemonPaths

    init() throws {
        folder = try ScratchFolder()
        paths = try DaemonPaths.scratch(in: folder)
    }

    private func client(
        _ origin: ScriptedOrigin,
        longestExchange: Duration = .seconds(300),
        patience: Duration = .seconds(30)
    ) throws -> DaemonClient {
        let authority = try origin.certificatePEM.map { try folder.write("ca.pem", $0) }
        let remote = RemoteDaemon(
            try BaseURL(parsing: origin.url("")),
            token: "x",
            authoritiesFile: authority,
            longestExchange: longestExchange
        )
        return DaemonClient(paths, remote: remote, patience: patience)
    }

    /// The response of a daemon.
    private func answer(_ json: String) -> Reply {
        .status(
            200,
            fields: [(ProtocolVersion.field, "\(ProtocolVersion.current)")],
            body: json
        )
    }

    private var labels: Reply { answer(#"{"labels": []}"#) }

    @Test func `a daemon that resets the handshake while it is restarted is asked again`()
        async throws
    {
        let origin = try ScriptedOrigin(tls: true)
        let client = try client(origin)
        origin.route(APIPath.labels, labels.withoutKeepAlive)
        origin.greet(.hangUp(.reset))
        // One that has never answered may have no TLS.
        let first = await #expect(throws: DownloadError.self) { try await client.labels() }
        #expect(first.map { [.tlsFailed, .daemonUnavailable].contains($0.code) } == true)
        origin.greet(.normal)
        #expect(try await client.labels().isEmpty)
        origin.greet(.hangUp(.reset))
        let before = origin.snapshot.acceptedConnections
        async let again = client.labels()
        _ = await origin.waitUntil { $0.acceptedConnections > before }
        origin.greet(.normal)
        #expect(try await again.isEmpty)
    }

    @Test(arguments: [["a", "a"], ["b", "a"], ["a", "b", "a"]])
    func `pages that do not proceed end a list`(pages: [String]) async throws {
        let origin = try ScriptedOrigin()
        let client = try client(origin)
        for (path, name) in [(APIPath.labels, "labels"), (APIPath.sessions, "sessions")] {
            let replies = pages.map { answer(#"{"\#(name)": [], "next": "\#($0)"}"#) }
            origin.route(path, .sequence(replies))
            let error = await #expect(throws: DownloadError.self) {
                if name == "labels" {
                    _ = try await client.labels()
                } else {
                    _ = try await client.sessions()
                }
            }
            #expect(error?.code == .badResponse)
            #expect(origin.requests(to: path).count == pages.count)
        }
    }

    @Test func `an endless response of a remote daemon is not read to the end`() async throws {
        let origin = try ScriptedOrigin()
        let client = try client(origin)
        let head = "HTTP/1.1 200 OK\r\n\(ProtocolVersion.field): \(ProtocolVersion.current)\r\n\r\n"
        let spaces = String(repeating: " ", count: 64 << 10)
        origin.route(APIPath.labels, .endless(head, repeating: spaces))
        let error = await #expect(throws: DownloadError.self) { try await client.labels() }
        #expect(error?.code == .tooLarge)
        // What the sockets hold was sent, too.
        #expect(await origin.waitForQuiet().bodyBytesSent < 64 << 20)
    }

    @Test func `a response that does not end has a time limit, and a stream of events has none`()
        async throws
    {
        let origin = try ScriptedOrigin()
        let client = try client(
            origin,
            longestExchange: .milliseconds(300),
            patience: .zero
        )
        let head = "HTTP/1.1 200 OK\r\n\(ProtocolVersion.field): \(ProtocolVersion.current)\r\n"
        // There is always a next byte soon.
        origin.route(APIPath.labels, .endless(head + "\r\n", repeating: " ").rate(200))
        origin.route(APIPath.sessions, .endless(head, repeating: "a: b\r\n").rate(200))
        for list in [{ _ = try await client.labels() }, { _ = try await client.sessions() }]
            as [@Sendable () async throws -> Void]
        {
            let error = await #expect(throws: DownloadError.self) { try await list() }
            #expect(error?.code == .daemonUnavailable)
            #expect(error?.message.contains("does not respond in time") == true)
        }
        let latch = Latch()
        let now = Date()
        let event = WireEvent(id: 1, kind: .settings, download: nil, name: "", at: now)
        let json = String(decoding: try WireJSON.encode(event), as: UTF8.self)
        let text = "id: 1\nevent: settings\ndata: \(json)\n\n"
        origin.route(APIPath.events, answer(text).holdAfterBytes(0, until: latch))
        var events = try await client.events().makeAsyncIterator()
        // The time limit of an ordinary response is over.
        _ = await #expect(throws: DownloadError.self) { try await client.labels() }
        latch.release()
        #expect(try await events.next() != nil)
    }

    @Test func `each MiB of a response has a time limit of its own`() {
        let start = ContinuousClock.now
        var pace = ResponsePace(.seconds(300), at: start)
        let mebibyte = ResponsePace.bytesPerLimit
        // 16 MiB at 4 kB per second.
        var isInTime = (1...4096).allSatisfy { second in
            pace.received(4096, at: start + .seconds(second))
        }
        #expect(isInTime)
        isInTime = pace.received(mebibyte - 1, at: start + .seconds(4096 + 300))
        #expect(isInTime)
        isInTime = pace.received(1, at: start + .seconds(4096 + 301))
        #expect(!isInTime)
        var slow = ResponsePace(.seconds(300), at: start)
        isInTime = slow.received(3000, at: start + .seconds(300))
        #expect(isInTime)
        isInTime = slow.received(3000, at: start + .seconds(301))
        #expect(!isInTime)
    }

    @Test func `a proxy that cannot reach a daemon for a moment is asked again`() async throws {
        let origin = try ScriptedOrigin()
        let client = try client(origin)
        let replies: [Reply] = [.status(502), labels, .status(502), .status(503), labels]
        origin.route(APIPath.labels, .sequence(replies))
        let first = await #expect(throws: DownloadError.self) { try await client.labels() }
        #expect(first?.code == .daemonUnavailable)
        #expect(try await client.labels().isEmpty)
        #expect(try await client.labels().isEmpty)
        #expect(origin.requests(to: APIPath.labels).count == replies.count)
        // What the proxy may have passed on is not sent twice.
        origin.route(APIPath.undo, .status(504))
        let undo = await #expect(throws: DownloadError.self) { try await client.undo() }
        #expect(undo?.code == .daemonUnavailable)
        #expect(origin.requests(to: APIPath.undo).count == 1)
    }
}
