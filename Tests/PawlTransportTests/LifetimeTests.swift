import PawlCore
import PawlTesting
import PawlTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LifetimeTests {
    @Test func `shutting down cancels running transfers`() async throws {
        let asked = (0..<5).map { _ in Completion<Void>() }
        let origin = try TestOrigin { connection in
            let line = try connection.readHead().first ?? ""
            if let number = Int(line.split(separator: "/")[1].split(separator: " ")[0]) {
                asked[number].complete()
            }
            connection.waitForClose()
        }
        let transport = CurlTransport(loops: 2)
        let sinks = try (0..<5).map { number in
            let sink = RecordingSink()
            _ = transport.start(try TransferRequest(url: origin.url("/\(number)")), sink: sink)
            return sink
        }
        for signal in asked { await signal.waitIgnoringCancellation() }
        transport.shutDown()
        for sink in sinks { #expect(sink.record.ends.map(\.outcome) == [.cancelled]) }
        transport.shutDown()
    }

    @Test func `after shutting down a transfer is cancelled at once`() async throws {
        let origin = try TestOrigin { try $0.answer("x") }
        let used = CurlTransport(loops: 1)
        _ = try await fetch(TransferRequest(url: origin.url()), over: used)
        for transport in [used, CurlTransport(loops: 1)] {
            transport.shutDown()
            let sink = RecordingSink()
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            transfer.cancel()
            #expect(sink.record.ends.map(\.outcome) == [.cancelled])
        }
    }

    @Test func `a transport that is released ends by itself`() async throws {
        let origin = try TestOrigin { connection in
            try connection.answer("x")
            connection.waitForClose()
        }
        let sink = RecordingSink()
        var transport: CurlTransport? = CurlTransport(loops: 1)
        _ = transport?.start(try TransferRequest(url: origin.url()), sink: sink)
        transport = nil
        let outcome = await sink.end.waitIgnoringCancellation().outcome
        #expect(outcome == .cancelled || outcome == .completed)
    }

    @Test func `sinks are released after the end`() async throws {
        let origin = try TestOrigin { connection in
            while true { try connection.answer("hello") }
        }
        let transport = CurlTransport(loops: 2)
        let server = try FullBacklogServer()
        var kept: [any Transfer] = []
        let urls = try [origin.url(), server.url, makeURL("none:"), origin.url(), server.url]
        let remembered = try await { () async throws -> [WeakSink] in
            var sinks: [RecordingSink] = []
            for (number, url) in urls.enumerated() {
                let sink = RecordingSink(
                    head: { _ in number == 3 ? .refuse : .take },
                    body: { _ in .pause(.milliseconds(1)) }
                )
                sinks.append(sink)
                kept.append(transport.start(TransferRequest(url: url), sink: sink))
            }
            kept[1].cancel()
            kept[4].cancel()
            for sink in sinks { _ = await sink.end.waitIgnoringCancellation() }
            return sinks.map { WeakSink(sink: $0) }
        }()
        // Joins the threads, which may still be returning from the last call.
        transport.shutDown()
        #expect(remembered.count == 5)
        #expect(remembered.allSatisfy { $0.sink == nil })
        #expect(kept.count == 5)
    }
}

private struct WeakSink: Sendable {
    weak let sink: RecordingSink?
}
