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
        return AlternativeTransport(base, pool: pool).start(request, sink: sink)
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

    @Test func `a failure after the head is one of the download`() throws {
        let transfer = try start()
        let started = try #require(base.started.value.last)
        let head = ResponseHead(url: started.request.url, status: 200)
        #expect(started.sink.transferReceived(head) == .take)
        try fail(.connectionLost)
        transfer.cancel()
        #expect(ports == [8443])
        #expect(sink.outcomes.value.count == 1)
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
        private let cancelled: Observed<Int>

        init(_ cancelled: Observed<Int>) { self.cancelled = cancelled }

        func cancel() { cancelled.update { $0 += 1 } }
        func resume() {}
        func nudge() {}
    }

    let started = Observed<[Started]>([])
    let cancelled = Observed(0)

    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        started.update { $0.append(Started(request: request, sink: sink)) }
        return RecordedTransfer(cancelled)
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
