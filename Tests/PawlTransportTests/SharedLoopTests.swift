import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// Transports that share the process's threads, and nothing else.
@Suite(.timeLimit(.minutes(5)))
struct SharedLoopTests {
    private func withTransports(
        _ body: (CurlTransport, CurlTransport) async throws -> Void
    ) async throws {
        let (one, other) = (CurlTransport.sharingThreads(), CurlTransport.sharingThreads())
        defer {
            one.shutDown()
            other.shutDown()
        }
        try await body(one, other)
    }

    @Test func `each transport reuses its own connection only`() async throws {
        let origin = try TestOrigin { connection in while true { try connection.answer("x") } }
        try await withTransports { one, other in
            let request = try TransferRequest(url: origin.url())
            var reused: [Bool?] = []
            for transport in [one, one, other, other, one] {
                let record = try await fetch(request, over: transport)
                reused.append(record.ends.first?.timings.reusedConnection)
            }
            #expect(reused == [false, true, false, true, true])
        }
        #expect(origin.connections == 2)
    }

    @Test func `exchanges of two transports never share an HTTP 2 connection`() async throws {
        let server = try await NginxServer(http2: true, "")
        for name in ["one", "other"] { try server.put(name, patternedBytes(20_000, seed: 1)) }
        try await withTransports { one, other in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, transport) in [("one", one), ("other", other)] {
                    var request = try TransferRequest(url: makeURL(server.url(name)))
                    request.connection.authoritiesFile = server.authority
                    request.multiplexes = true
                    for _ in 0..<20 {
                        group.addTask { [request] in
                            let record = try await fetch(request, over: transport)
                            #expect(record.outcome == .completed, "\(record.message)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let asked = try await server.close()
        #expect(asked.count == 40 && asked.allSatisfy { $0.version == "HTTP/2.0" })
        let connections = Dictionary(grouping: asked, by: \.path).mapValues { asked in
            Set(asked.map(\.connection))
        }
        #expect(connections.values.allSatisfy { $0.count == 1 })
        #expect(Set(connections.values.flatMap { $0 }).count == 2)
    }

    @Test func `shutting one down ends its transfers and connections, and no others`()
        async throws
    {
        let closed = Completion<Void>()
        let idle = try TestOrigin { connection in
            try connection.answer("x")
            connection.waitForClose()
            closed.complete()
        }
        let slow = try TestOrigin { connection in
            while true { try connection.answer("hello") }
        }
        try await withTransports { one, other in
            _ = try await fetch(TransferRequest(url: idle.url()), over: one)
            let sinks = [one, other].map { _ in RecordingSink(head: { _ in .hold }) }
            var running: [any Transfer] = []
            for (transport, sink) in zip([one, other], sinks) {
                running.append(transport.start(try TransferRequest(url: slow.url()), sink: sink))
                _ = await sink.head.waitIgnoringCancellation()
            }
            one.shutDown()
            #expect(sinks[0].record.ends.map(\.outcome) == [.cancelled])
            await closed.waitIgnoringCancellation()
            running[1].resume()
            #expect(await sinks[1].end.waitIgnoringCancellation().outcome == .completed)
            #expect(sinks[1].record.text == "hello")
            let late = RecordingSink()
            _ = one.start(try TransferRequest(url: slow.url()), sink: late)
            #expect(late.record.ends.map(\.outcome) == [.cancelled])
        }
    }

    @Test func `transports come and go while others run`() async throws {
        let origin = try TestOrigin { connection in while true { try connection.answer("x") } }
        let url = try origin.url()
        let kept = CurlTransport.sharingThreads()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let own = CurlTransport.sharingThreads()
                    let transport = number.isMultiple(of: 2) ? own : kept
                    let sink = RecordingSink()
                    let transfer = transport.start(TransferRequest(url: url), sink: sink)
                    if number.isMultiple(of: 3) { transfer.cancel() }
                    _ = await sink.end.waitIgnoringCancellation()
                    if number.isMultiple(of: 5) { own.shutDown() }
                }
            }
            try await group.waitForAll()
        }
        #expect(kept.workTimes.count <= CurlTransport.loopsByCores + 1)
        kept.shutDown()
    }
}
