import FoundationEssentials
import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting
import Testing

/// When a request leaves an alternative service for the server of its URL.
@Suite(.timeLimit(.minutes(5)))
struct AlternativeTransportTests {
    private let base = RecordingTransport()
    private let sink = RecordingSink()
    private let time = ManualTimekeeper()
    private let services = AlternativeServices(
        AlternativeServiceList(
            "h1 a.example 443 h1 b.example 8443 \"99991231 23:59:59\" 0 0\n",
            at: 0
        )
    )

    private func start(
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) throws -> any Transfer {
        var request = TransferRequest(url: try #require(URL(string: "https://a.example/x")))
        request.alternatives = services
        change(&request)
        let pool = BlockingPool(threads: 1, name: "test-alternative")
        return AlternativeTransport(base, pool: pool, time: time).start(request, sink: sink)
    }

    /// The ports of the alternatives to which requests went; 0 for the server of the URL.
    private var ports: [Int] {
        base.started.value.map { $0.request.alternative?.endpoint.port ?? 0 }
    }

    private func end(_ outcome: TransferOutcome) throws {
        try #require(base.started.value.last).sink.transferEnded(TransferEnd(outcome))
    }

    private func fail(_ kind: TransferFailure.Kind) throws {
        try end(.failed(TransferFailure(kind, "")))
    }

    @Test(arguments: [
        TransferFailure.Kind.cannotConnect, .nameNotResolved, .connectTimedOut,
        .certificateRefused, .tlsFailed, .connectionLost,
    ])
    func `if an alternative fails, the server of the URL is asked`(
        kind: TransferFailure.Kind
    ) async throws {
        _ = try start()
        #expect(ports == [8443])
        try fail(kind)
        await base.started.wait { $0.count == 2 }
        #expect(ports == [8443, 0])
        #expect(sink.outcomes.value.isEmpty)
        // The failure of that server is one.
        try fail(.connectionLost)
        #expect(sink.outcomes.value == [.failed(TransferFailure(.connectionLost, ""))])
        _ = try start()
        #expect(ports.last == 0, "the alternative was asked again")
    }

    @Test func `a request that may have been carried out is not sent again`() throws {
        _ = try start { $0.method = "POST" }
        try fail(.connectionLost)
        #expect(ports == [8443])
        #expect(sink.outcomes.value == [.failed(TransferFailure(.connectionLost, ""))])
    }

    @Test(arguments: [
        (TransferFailure.Kind.connectionLost, 0), (.bodyIncomplete, 0), (.malformedResponse, 0),
        (.tlsFailed, 0), (.undecodable, 8443),
    ])
    func `a failure after the head is one of the download`(
        kind: TransferFailure.Kind,
        nextPort: Int
    ) throws {
        let transfer = try start()
        let started = try #require(base.started.value.last)
        let head = ResponseHead(url: started.request.url, status: 200)
        #expect(started.sink.transferReceived(head) == .take)
        try fail(kind)
        transfer.cancel()
        #expect(ports == [8443])
        #expect(sink.outcomes.value.count == 1)
        // A retry must not meet the same broken alternative.
        _ = try start()
        #expect(ports == [8443, nextPort])
    }

    @Test(arguments: [(1_900, 8443), (2_000, 0)])
    func `an alternative that was given up without an answer is not asked again`(
        milliseconds: Int,
        nextPort: Int
    ) throws {
        let transfer = try start()
        time.advance(by: .milliseconds(milliseconds))
        transfer.cancel()
        try end(.cancelled)
        #expect(sink.outcomes.value == [.cancelled])
        _ = try start()
        #expect(ports == [8443, nextPort])
    }

    @Test func `a cancellation after the answer or the end says nothing about the alternative`()
        throws
    {
        let answered = try start()
        let started = try #require(base.started.value.last)
        _ = started.sink.transferReceived(ResponseHead(url: started.request.url, status: 200))
        time.advance(by: .seconds(10))
        answered.cancel()
        try end(.cancelled)
        let ended = try start()
        try fail(.local)
        time.advance(by: .seconds(10))
        ended.cancel()
        _ = try start()
        #expect(ports == [8443, 8443, 8443])
    }

    @Test(arguments: [(nil, 15, 5), (30, 15, 5), (30, 3, 3), (4, 15, 2)] as [(Int?, Int, Int)])
    func `connecting to an alternative leaves time for the server of the URL`(
        stall: Int?,
        connect: Int,
        expected: Int
    ) async throws {
        _ = try start {
            $0.stallTimeout = stall.map { .seconds($0) }
            $0.connection.connectTimeout = .seconds(connect)
        }
        try fail(.connectTimedOut)
        await base.started.wait { $0.count == 2 }
        #expect(
            base.started.value.map(\.request.connection.connectTimeout)
                == [.seconds(expected), .seconds(connect)]
        )
    }

    @Test func `calls while the server of the URL is being asked reach that exchange`() async throws
    {
        let transfer = try start()
        base.whileStarting.update { call in
            call = {
                transfer.resume()
                transfer.nudge()
            }
        }
        try fail(.cannotConnect)
        await base.calls.wait { $0.count == 2 }
        #expect(base.calls.value == ["resume 2", "nudge 2"])
        transfer.nudge()
        #expect(base.calls.value == ["resume 2", "nudge 2", "nudge 2"])
    }

    @Test func `a response for another host is not passed on`() async throws {
        _ = try start()
        let started = try #require(base.started.value.last)
        let head = ResponseHead(url: started.request.url, status: 421)
        #expect(started.sink.transferReceived(head) == .refuse)
        try end(.stopped)
        await base.started.wait { $0.count == 2 }
        #expect(ports == [8443, 0])
        #expect(sink.heads.value.isEmpty)
    }

    @Test func `after a cancellation, nothing is asked again`() throws {
        let transfer = try start()
        transfer.cancel()
        #expect(base.cancelled.value == 1)
        try fail(.cannotConnect)
        #expect(ports == [8443])
        #expect(sink.outcomes.value.count == 1)
    }

    @Test func `without a check of certificates, nothing is used or learned`() throws {
        _ = try start { $0.connection.allowsUntrustedCertificates = true }
        #expect(ports == [0])
        let started = try #require(base.started.value.last)
        var head = ResponseHead(url: started.request.url, status: 200)
        head.fields.append(HTTPField(name: "Alt-Svc", value: "clear"))
        _ = started.sink.transferReceived(head)
        #expect(!services.list.isEmpty)
    }
}

/// Records requests, which tests end.
private final class RecordingTransport: Transport {
    struct Started: Sendable {
        let request: TransferRequest
        let sink: any TransferSink
    }

    private final class RecordedTransfer: Transfer {
        private let number: Int
        private let cancelled: Observed<Int>
        private let calls: Observed<[String]>

        init(_ number: Int, _ cancelled: Observed<Int>, _ calls: Observed<[String]>) {
            (self.number, self.cancelled, self.calls) = (number, cancelled, calls)
        }

        func cancel() { cancelled.update { $0 += 1 } }
        func resume() { calls.update { $0.append("resume \(number)") } }
        func nudge() { calls.update { $0.append("nudge \(number)") } }
    }

    let started = Observed<[Started]>([])
    let cancelled = Observed(0)
    /// The calls of exchanges, with the number of the exchange.
    let calls = Observed<[String]>([])
    /// Called before a started exchange is returned.
    let whileStarting = Observed<(@Sendable () -> Void)?>(nil)

    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        let number = started.update { started in
            started.append(Started(request: request, sink: sink))
            return started.count
        }
        whileStarting.value?()
        return RecordedTransfer(number, cancelled, calls)
    }
}

/// Takes each head, and records what it receives.
private final class RecordingSink: TransferSink {
    let heads = Observed<[ResponseHead]>([])
    let outcomes = Observed<[TransferOutcome]>([])

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        heads.update { $0.append(head) }
        return .take
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision { .more }

    func transferEnded(_ end: TransferEnd) { outcomes.update { $0.append(end.outcome) } }
}
