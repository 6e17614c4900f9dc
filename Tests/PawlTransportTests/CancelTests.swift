import PawlCore
import PawlTesting
import PawlTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CancelTests {
    @Test func `a transfer can be cancelled before it is connected`() async throws {
        let server = try FullBacklogServer()
        try await withTransport { transport in
            let sink = RecordingSink()
            let transfer = transport.start(TransferRequest(url: server.url), sink: sink)
            // A second transfer on the same loop has ended, so the first one has started.
            _ = try await fetch(TransferRequest(url: makeURL("none:")), over: transport)
            try await cancelled(transfer, sink)
            #expect(sink.record.heads.isEmpty)
        }
    }

    @Test func `a transfer can be cancelled right after its start`() async throws {
        let origin = try TestOrigin { try $0.answer("late") }
        try await withTransport { transport in
            for _ in 0..<100 {
                let sink = RecordingSink()
                let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
                transfer.cancel()
                let outcome = await sink.end.waitIgnoringCancellation().outcome
                #expect(outcome == .cancelled || outcome == .completed)
                #expect(sink.record.misplacedCalls == 0)
            }
        }
    }

    @Test func `a transfer can be cancelled while it waits for the head`() async throws {
        let asked = Completion<Void>()
        let closed = Completion<Void>()
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            asked.complete()
            connection.waitForClose()
            closed.complete()
        }
        try await withTransport { transport in
            let sink = RecordingSink()
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            await asked.waitIgnoringCancellation()
            try await cancelled(transfer, sink)
            await closed.waitIgnoringCancellation()
        }
    }

    @Test(arguments: [BodyDecision.more, .hold, .pause(.seconds(3_600))])
    func `a transfer can be cancelled in mid-body`(answer: BodyDecision) async throws {
        let closed = Completion<Void>()
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForClose()
            closed.complete()
        }
        try await withTransport { transport in
            let seen = Completion<Void>()
            let sink = RecordingSink(body: { _ in
                seen.complete()
                return answer
            })
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            await seen.waitIgnoringCancellation()
            try await cancelled(transfer, sink)
            #expect(sink.record.text == "abc")
            await closed.waitIgnoringCancellation()
        }
    }

    @Test func `a sink can cancel its own transfer`() async throws {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForClose()
        }
        try await withTransport { transport in
            let running = Mutex<(any Transfer)?>(nil)
            let started = Gate()
            let sink = RecordingSink(head: { _ in
                started.wait()
                running.withLock { $0?.cancel() }
                return .hold
            })
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            running.withLock { $0 = transfer }
            started.open()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .cancelled)
            running.withLock { $0 = nil }
        }
    }

    @Test func `nothing follows the end of a transfer`() async throws {
        let origin = try TestOrigin { try $0.answer("x") }
        let sink = RecordingSink()
        try await withTransport { transport in
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            _ = await sink.end.waitIgnoringCancellation()
            transfer.cancel()
            transfer.resume()
        }
        #expect(sink.record.ends.map(\.outcome) == [.completed])
    }

    private func cancelled(_ transfer: any Transfer, _ sink: RecordingSink) async throws {
        transfer.cancel()
        transfer.cancel()
        #expect(await sink.end.waitIgnoringCancellation().outcome == .cancelled)
        #expect(sink.record.misplacedCalls == 0)
    }
}
