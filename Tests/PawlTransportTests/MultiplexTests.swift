import struct FoundationEssentials.URL
import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// Exchanges that may share a connection, with nginx as the server.
@Suite(.timeLimit(.minutes(5)))
struct MultiplexTests {
    private static let large = patternedBytes(8 << 20, seed: 99)

    private func server(http2: Bool = true, _ lines: String = "") async throws -> NginxServer {
        let server = try await NginxServer(http2: http2, lines)
        for number in 0..<10 { try server.put("\(number)", Self.small(number)) }
        return server
    }

    private static func small(_ number: Int) -> [UInt8] {
        patternedBytes(20_000 + number, seed: UInt64(number + 1))
    }

    private func request(
        _ name: String,
        of server: NginxServer,
        multiplexes: Bool = true
    ) throws -> TransferRequest {
        var request = try TransferRequest(url: makeURL(server.url(name)))
        request.connection.authoritiesFile = server.authority
        request.multiplexes = multiplexes
        return request
    }

    /// Runs `count` exchanges at once, each of which must receive its own file.
    private func fetchSmall(
        _ count: Int,
        of server: NginxServer,
        over transport: CurlTransport
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let request = try request("\(number % 10)", of: server)
                group.addTask {
                    let record = try await fetch(request, over: transport)
                    #expect(record.outcome == .completed, "\(record.message)")
                    #expect(record.body == Self.small(number % 10))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `many exchanges share one connection`() async throws {
        let server = try await server()
        try await withTransport(loops: 2) { try await fetchSmall(40, of: server, over: $0) }
        let asked = try await server.close()
        #expect(asked.count == 40)
        #expect(Set(asked.map(\.connection)).count == 1)
        #expect(asked.allSatisfy { $0.version == "HTTP/2.0" })
    }

    @Test func `exchanges that do not multiplex use their own HTTP 1 connections`() async throws {
        let server = try await server()
        try await withTransport { transport in
            let own = try request("3", of: server, multiplexes: false)
            #expect(try await fetch(own, over: transport).body == Self.small(3))
        }
        #expect(try await server.close().map(\.version) == ["HTTP/1.1"])
    }

    @Test func `an HTTP 1 connection in use is never shared`() async throws {
        let server = try await server()
        try server.put("large", Self.large)
        try await withTransport { transport in
            let sink = RecordingSink(head: { _ in .hold })
            let own = try request("large", of: server, multiplexes: false)
            let running = transport.start(own, sink: sink)
            _ = await sink.head.waitIgnoringCancellation()
            for _ in 0..<3 { try await fetchSmall(10, of: server, over: transport) }
            running.resume()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
            #expect(sink.record.body == Self.large)
        }
        #expect(Set(try await server.close().map(\.connection)).count == 2)
    }

    @Test func `without HTTP 2 separate connections are used`() async throws {
        let server = try await server(http2: false)
        try await withTransport(loops: 2) { transport in
            for _ in 0..<3 { try await fetchSmall(20, of: server, over: transport) }
        }
        let asked = try await server.close()
        #expect(asked.count == 60)
        #expect(asked.allSatisfy { $0.version == "HTTP/1.1" })
    }

    @Test func `a transfer moved to its own connection continues and accepts commands`()
        async throws
    {
        let server = try await server(http2: false)
        try await withTransport(loops: 2) { transport in
            let request = try request("5", of: server)
            let sinks = (0..<4).map { _ in RecordingSink(head: { _ in .hold }) }
            let running = sinks.map { transport.start(request, sink: $0) }
            for sink in sinks { _ = await sink.head.waitIgnoringCancellation() }
            for transfer in running { transfer.resume() }
            for sink in sinks {
                #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
                #expect(sink.record.body == Self.small(5))
            }
            for transfer in running {
                transfer.resume()
                transfer.nudge()
                transfer.cancel()
            }
            // The loops process commands in order: when these transfers have ended, the earlier
            // commands were processed.
            try await fetchSmall(20, of: server, over: transport)
            for sink in sinks {
                #expect(sink.record.ends.count == 1)
                #expect(sink.record.misplacedCalls == 0)
            }
        }
        #expect(try await server.close().allSatisfy { $0.version == "HTTP/1.1" })
    }

    @Test func `a server may allow few streams and end connections`() async throws {
        let server = try await server(
            """
            http2_max_concurrent_streams 3;
            keepalive_requests 7;
            """
        )
        try await withTransport { try await fetchSmall(100, of: server, over: $0) }
        let asked = try await server.close()
        #expect(asked.count { $0.status == 200 } >= 100)
        #expect(Set(asked.map(\.connection)).count > 1)
    }

    @Test func `transfers that wait for one silent connection all time out`() async throws {
        let server = try FullBacklogServer()
        let port = try #require(server.url.port)
        try await withTransport { transport in
            var request = try TransferRequest(url: makeURL("https://127.0.0.1:\(port)/"))
            request.multiplexes = true
            request.connection.connectTimeout = .milliseconds(100)
            let sinks = (0..<10).map { _ in RecordingSink() }
            for sink in sinks { _ = transport.start(request, sink: sink) }
            for sink in sinks {
                _ = await sink.end.waitIgnoringCancellation()
                #expect(sink.record.failure == .connectTimedOut)
            }
        }
    }
}

// Single streams beside others.
extension MultiplexTests {
    @Test func `a held stream does not delay others`() async throws {
        let server = try await server()
        try await withTransport { transport in
            let sink = RecordingSink(head: { _ in .hold })
            let running = transport.start(try request("7", of: server), sink: sink)
            _ = await sink.head.waitIgnoringCancellation()
            try await fetchSmall(10, of: server, over: transport)
            #expect(sink.record.body.isEmpty)
            #expect(sink.record.ends.isEmpty)
            running.resume()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
            #expect(sink.record.body == Self.small(7))
        }
        #expect(Set(try await server.close().map(\.connection)).count == 1)
    }

    /// libcurl 7.88 would buffer up to 32 MiB of the stream in memory.
    ///
    /// Pawl must prevent that.
    @Test func `a large held stream does not delay others, and gives up`() async throws {
        let server = try await server()
        try server.put("large", Self.large)
        try await withTransport { transport in
            let sink = RecordingSink(head: { _ in .hold })
            let running = transport.start(try request("large", of: server), sink: sink)
            _ = await sink.head.waitIgnoringCancellation()
            try await fetchSmall(30, of: server, over: transport)
            if sink.record.ends.isEmpty { running.resume() }
            _ = await sink.end.waitIgnoringCancellation()
            let record = sink.record
            #expect(record.failure == .connectionLost || record.body == Self.large)
            #expect(record.misplacedCalls == 0)
            // No bytes of it remain in the handles and connections that libcurl reuses.
            for _ in 0..<3 { try await fetchSmall(10, of: server, over: transport) }
        }
    }

    @Test func `a paused stream loses nothing`() async throws {
        let server = try await server()
        try server.put("large", Self.large)
        try await withTransport { transport in
            let sink = RecordingSink(body: { record in
                record.bodyCalls % 32 == 0 ? .pause(.milliseconds(1)) : .more
            })
            _ = transport.start(try request("large", of: server), sink: sink)
            try await fetchSmall(30, of: server, over: transport)
            #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
            #expect(sink.record.body == Self.large)
        }
    }

    enum Leaving: CaseIterable { case refused, stopped, cancelled, cancelledWhileHeld }

    @Test(arguments: Leaving.allCases)
    func `a stream that ends early keeps the connection open for others`(
        leaving: Leaving
    ) async throws {
        let server = try await server()
        try server.put("large", Self.large)
        try await withTransport { transport in
            let sink = RecordingSink(
                head: { _ in
                    switch leaving {
                    case .refused: .refuse
                    case .cancelledWhileHeld: .hold
                    default: .take
                    }
                },
                body: { record in
                    guard record.body.count > 100_000 else { return .more }
                    return leaving == .stopped ? .stop : .hold
                }
            )
            let running = transport.start(try request("large", of: server), sink: sink)
            _ = await sink.head.waitIgnoringCancellation()
            if leaving == .cancelled || leaving == .cancelledWhileHeld { running.cancel() }
            for _ in 0..<3 { try await fetchSmall(10, of: server, over: transport) }
            let outcome = await sink.end.waitIgnoringCancellation().outcome
            let wasCancelled = leaving == .cancelled || leaving == .cancelledWhileHeld
            #expect(outcome == (wasCancelled ? .cancelled : .stopped))
        }
        #expect(Set(try await server.close().map(\.connection)).count == 1)
    }

    @Test func `a body without a length ends with its stream`() async throws {
        let server = try await server("ssi on; ssi_types *;")
        try server.put("page", Array("a<!--# echo var=\"none\" default=\"b\" -->c".utf8))
        try await withTransport { transport in
            let record = try await fetch(try request("page", of: server), over: transport)
            #expect(record.text == "abc")
            #expect(record.outcome == .completed, "\(record.message)")
            #expect(record.heads.first?["Content-Length"] == nil)
            #expect(record.heads.first?.protocolVersion == "HTTP/2")
        }
    }

    @Test func `authentication takes two rounds on one connection`() async throws {
        let server = try await server("auth_basic here; auth_basic_user_file users;")
        try server.put("users", Array("anna:{PLAIN}secret\n".utf8))
        try await withTransport { transport in
            var request = try request("4", of: server)
            request.credentials = Credentials(name: "anna", password: "secret")
            let record = try await fetch(request, over: transport)
            #expect(record.heads.map(\.status) == [200])
            #expect(record.body == Self.small(4))
        }
        let asked = try await server.close()
        #expect(asked.map(\.status) == [401, 200])
        #expect(Set(asked.map(\.connection)).count == 1)
    }
}
