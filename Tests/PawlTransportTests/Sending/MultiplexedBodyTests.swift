import Glibc
import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// Bodies that are read while they are sent, over HTTP/2, with nginx as the server.
@Suite(.timeLimit(.minutes(5)))
struct MultiplexedBodyTests {
    private static func bytes(_ number: Int) -> [UInt8] {
        patternedBytes(500_000 + number, seed: UInt64(number + 1))
    }

    private func server(http2: Bool = true, limit: String = "100m") async throws -> NginxServer {
        try await NginxServer(http2: http2, "dav_methods PUT; client_max_body_size \(limit);")
    }

    private func request(
        _ name: String,
        of server: NginxServer,
        _ body: any BodySource
    ) throws -> TransferRequest {
        var request = try TransferRequest(url: makeURL(server.url(name)))
        request.method = "PUT"
        request.bodySource = body
        request.connection.authoritiesFile = server.authority
        request.multiplexes = true
        return request
    }

    private func stored(_ name: String, by server: NginxServer) throws -> [UInt8] {
        let file = try #require(fopen(server.path(name), "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
    }

    @Test(arguments: [true, false])
    func `many bodies share one connection`(isLengthKnown: Bool) async throws {
        let server = try await server()
        try await withTransport { transport in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    let bytes = Self.bytes(number)
                    let length = isLengthKnown ? Int64(bytes.count) : nil
                    let request = try request(
                        "\(number)",
                        of: server,
                        ScriptedBody(bytes, length: length)
                    )
                    group.addTask {
                        let record = try await fetch(request, over: transport)
                        #expect(record.heads.map(\.status) == [201], "\(record.message)")
                        #expect(record.outcome == .completed, "\(record.message)")
                    }
                }
                try await group.waitForAll()
            }
        }
        for number in 0..<10 {
            #expect(try stored("\(number)", by: server) == Self.bytes(number))
        }
        let asked = try await server.close()
        #expect(asked.allSatisfy { $0.version == "HTTP/2.0" })
        #expect(Set(asked.map(\.connection)).count == 1)
    }

    @Test func `a stream waits for its body, and others continue`() async throws {
        let server = try await server()
        let bytes = Self.bytes(3)
        let body = ScriptedBody(Array(bytes[..<1000]), isComplete: false)
        try await withTransport { transport in
            let sink = RecordingSink()
            _ = transport.start(try request("slow", of: server, body), sink: sink)
            await body.waitForPause()
            for number in 0..<3 {
                let other = MemoryBody(Self.bytes(number))
                let record = try await fetch(
                    request("\(number)", of: server, other),
                    over: transport
                )
                #expect(record.heads.map(\.status) == [201], "\(record.message)")
            }
            #expect(sink.record.ends.isEmpty)
            body.append(Array(bytes[1000..<200_000]))
            await body.waitForBytes(200_000)
            await body.waitForPause(2)
            body.append(Array(bytes[200_000...]))
            body.finish()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
            #expect(sink.record.heads.map(\.status) == [201])
        }
        #expect(try stored("slow", by: server) == bytes)
        #expect(Set(try await server.close().map(\.connection)).count == 1)
    }

    @Test(arguments: [true, false])
    func `a stream whose body waits or fails can end without the others`(
        fails: Bool
    ) async throws {
        let server = try await server()
        let body = ScriptedBody([1, 2, 3], isComplete: false)
        try await withTransport { transport in
            let sink = RecordingSink()
            let transfer = transport.start(try request("half", of: server, body), sink: sink)
            await body.waitForPause()
            if fails { body.fail("gone") } else { transfer.cancel() }
            _ = await sink.end.waitIgnoringCancellation()
            #expect(sink.record.failure == (fails ? .bodyUnreadable : nil))
            let other = MemoryBody(Self.bytes(1))
            let record = try await fetch(request("1", of: server, other), over: transport)
            #expect(record.heads.map(\.status) == [201], "\(record.message)")
        }
        #expect(access(server.path("half"), F_OK) != 0)
    }

    @Test func `an error that comes before the end of the body is received`() async throws {
        let server = try await server(limit: "1k")
        let bytes = patternedBytes(20_000_000)
        let body = ScriptedBody(bytes, length: Int64(bytes.count))
        let record = try await fetch(request("large", of: server, body))
        #expect(record.heads.map(\.status) == [413], "\(record.message)")
    }

    @Test func `an error that comes while the body waits is received`() async throws {
        let server = try await server(limit: "1k")
        let body = ScriptedBody(patternedBytes(3_000), isComplete: false)
        let record = try await fetch(request("large", of: server, body))
        #expect(record.heads.map(\.status) == [413], "\(record.message)")
    }

    @Test func `a body of which nothing was sent moves to a connection of its own`() async throws {
        let server = try await server(http2: false)
        let bytes = Self.bytes(5)
        try await withTransport(loops: 2) { transport in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    let body = ScriptedBody(bytes, isRepeatable: false)
                    let request = try request("\(number)", of: server, body)
                    group.addTask {
                        let record = try await fetch(request, over: transport)
                        #expect(record.heads.map(\.status) == [201], "\(record.message)")
                    }
                }
                try await group.waitForAll()
            }
        }
        for number in 0..<4 { #expect(try stored("\(number)", by: server) == bytes) }
    }
}
