import FoundationEssentials
import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting
import Testing

/// The redirects to HTTPS that need no server.
@Suite(.timeLimit(.minutes(5)))
struct SecuringTransportTests {
    /// It has one thread, so its work is done in order.
    private let pool = BlockingPool(threads: 1, name: "test-securing")

    /// Starts a request over HTTP to a host that demands HTTPS.
    private func start(_ sink: RecordingSink) throws -> any Transfer {
        var request = TransferRequest(url: try #require(URL(string: "http://a.example/x")))
        request.secureHosts = SecureHosts(SecureHostList("a.example \"unlimited\"\n", at: 0))
        return SecuringTransport(NoTransport(), pool: pool).start(request, sink: sink)
    }

    /// Returns what the sink has received once all work so far is done.
    private func settled(_ sink: RecordingSink) async -> RecordingSink.Seen {
        let isDone = Observed(false)
        pool.start { _ in isDone.update { $0 = true } }
        await isDone.wait { $0 }
        return sink.seen.value
    }

    @Test(arguments: [(HeadDecision.take, TransferOutcome.completed), (.refuse, .stopped)])
    func `the head is a redirect, and then the exchange ends`(
        decision: HeadDecision,
        outcome: TransferOutcome
    ) async throws {
        let sink = RecordingSink(decision)
        let transfer = try start(sink)
        let seen = await settled(sink)
        #expect(seen.heads.map(\.status) == [307])
        #expect(seen.heads.first?["Location"] == "https://a.example/x")
        #expect(seen.outcomes == [outcome])
        transfer.cancel()
        transfer.resume()
        #expect(await settled(sink).outcomes == [outcome])
    }

    @Test(arguments: [false, true])
    func `a held exchange waits until it is resumed or cancelled`(
        isCancelled: Bool
    ) async throws {
        let sink = RecordingSink(.hold)
        let transfer = try start(sink)
        #expect(await settled(sink).outcomes.isEmpty)
        if isCancelled { transfer.cancel() } else { transfer.resume() }
        #expect(await settled(sink).outcomes == [isCancelled ? .cancelled : .completed])
    }

    @Test(arguments: [false, true])
    func `an exchange may be resumed or cancelled while its head is judged`(
        isCancelled: Bool
    ) async throws {
        let sink = RecordingSink(.hold)
        // The head is judged when the transfer is known.
        let gate = Gate()
        pool.start { _ in gate.wait() }
        let transfer = try start(sink)
        sink.onHead.update { onHead in
            onHead = { if isCancelled { transfer.cancel() } else { transfer.resume() } }
        }
        gate.open()
        #expect(await settled(sink).outcomes == [isCancelled ? .cancelled : .completed])
    }

    @Test func `an exchange that is cancelled first has no head`() async throws {
        let sink = RecordingSink(.take)
        let gate = Gate()
        pool.start { _ in gate.wait() }
        let transfer = try start(sink)
        transfer.cancel()
        gate.open()
        let seen = await settled(sink)
        #expect(seen.heads.isEmpty)
        #expect(seen.outcomes == [.cancelled])
    }
}

/// Answers each head in the same way, and records what it receives.
private final class RecordingSink: TransferSink {
    struct Seen: Sendable {
        var heads: [ResponseHead] = []
        var outcomes: [TransferOutcome] = []
    }

    let seen = Observed(Seen())
    let onHead = Observed<@Sendable () -> Void>({})
    private let decision: HeadDecision

    init(_ decision: HeadDecision) { self.decision = decision }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        seen.update { $0.heads.append(head) }
        onHead.value()
        return decision
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision { .stop }

    func transferEnded(_ end: TransferEnd) { seen.update { $0.outcomes.append(end.outcome) } }
}

/// Fails the test: no server may be asked.
private struct NoTransport: Transport {
    private final class NoTransfer: Transfer {
        func cancel() {}
        func resume() {}
        func nudge() {}
    }

    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        Issue.record("a request was sent to \(request.url)")
        return NoTransfer()
    }
}
