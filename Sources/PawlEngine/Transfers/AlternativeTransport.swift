internal import struct FoundationEssentials.Date
package import PawlCore
package import PawlStorage
internal import Synchronization

/// Sends requests to alternative services that servers have named, and learns them from responses
/// (RFC 7838).
///
/// Only the connection changes: the URL, and all that depends on it, stays. If an alternative does
/// not work, the request is sent to the server of the URL. Only requests with a list of alternatives
/// are concerned.
package struct AlternativeTransport: Transport {
    /// The longest time for connecting to an alternative; the server of the URL may be there.
    private static let connectTimeout: Duration = .seconds(5)

    private let base: any Transport
    /// The threads that start the second attempts.
    private let pool: BlockingPool
    private let time: any Timekeeper

    package init(_ base: any Transport, pool: BlockingPool, time: any Timekeeper) {
        (self.base, self.pool, self.time) = (base, pool, time)
    }

    package var workTimes: [Duration] { base.workTimes }

    package func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        guard let alternatives = request.alternatives else {
            return base.start(request, sink: sink)
        }
        // Anyone could have sent a response that was received without a check of the certificate,
        // and anyone could be the alternative.
        guard !request.connection.allowsUntrustedCertificates else {
            return base.start(request, sink: sink)
        }
        let learning = LearningSink(sink, alternatives)
        guard let service = alternatives.service(for: request, at: Self.now) else {
            return base.start(request, sink: learning)
        }
        let attempt = AlternativeAttempt(
            request,
            service,
            alternatives,
            learning,
            AlternativeAttempt.Surroundings(base: base, pool: pool, time: time)
        )
        attempt.start(connectTimeout: Self.connectTimeout(for: request))
        return attempt
    }

    /// Returns a time that leaves some for the server of the URL, before whoever sends the request
    /// gives it up.
    private static func connectTimeout(for request: TransferRequest) -> Duration {
        min(
            connectTimeout,
            request.connection.connectTimeout,
            request.stallTimeout.map { $0 / 2 } ?? connectTimeout
        )
    }

    fileprivate static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

/// Notes the alternatives in a response, and passes it on.
private final class LearningSink: TransferSink {
    private let sink: any TransferSink
    private let alternatives: AlternativeServices

    init(_ sink: any TransferSink, _ alternatives: AlternativeServices) {
        (self.sink, self.alternatives) = (sink, alternatives)
    }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        alternatives.learn(from: head, at: AlternativeTransport.now)
        return sink.transferReceived(head)
    }

    func transferSent(_ count: Int64) { sink.transferSent(count) }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        sink.transferReceived(bytes)
    }

    func transferNudged() -> BodyDecision { sink.transferNudged() }

    func transferEnded(_ end: TransferEnd) { sink.transferEnded(end) }
}

/// An exchange with an alternative, and with the server of the URL if that fails.
private final class AlternativeAttempt: Transfer, TransferSink {
    private enum Phase {
        /// The alternative was asked.
        case first
        /// The alternative has answered in such a way that the server of the URL is asked.
        case rejected
        /// The response is that of the alternative.
        case accepted
        /// The server of the URL is asked.
        case second
        /// The exchange with the alternative was the only one, and has ended.
        case ended
    }

    private struct State {
        var phase = Phase.first
        var exchange = RunningTransfer()
    }

    struct Surroundings {
        let base: any Transport
        let pool: BlockingPool
        let time: any Timekeeper
    }

    /// An alternative that has not answered for this time is not used again.
    private static let silence: Duration = .seconds(2)

    private let request: TransferRequest
    private let service: AlternativeService
    private let alternatives: AlternativeServices
    private let sink: any TransferSink
    private let surroundings: Surroundings
    private let startedAt: Moment
    private let state = Mutex(State())

    init(
        _ request: TransferRequest,
        _ service: AlternativeService,
        _ alternatives: AlternativeServices,
        _ sink: any TransferSink,
        _ surroundings: Surroundings
    ) {
        (self.request, self.service, self.alternatives) = (request, service, alternatives)
        (self.sink, self.surroundings) = (sink, surroundings)
        startedAt = surroundings.time.now()
    }

    func start(connectTimeout: Duration) {
        var first = request
        first.alternative = service
        first.connection.connectTimeout = connectTimeout
        let transfer = surroundings.base.start(first, sink: self)
        let calls = state.withLock { state in
            // The second exchange may run already.
            state.phase == .second ? TransferCalls() : state.exchange.begin(transfer)
        }
        calls.make(to: transfer)
    }

    // MARK: - The exchange as its user sees it

    func cancel() {
        let isSilent = surroundings.time.now() - startedAt >= longestSilence
        let (transfer, isFailure) = state.withLock { state in
            let isFirst = state.phase == .first && !state.exchange.isCancelled
            return (state.exchange.cancel(), isSilent && isFirst)
        }
        // Whoever gives up an exchange that has stalled ends it in this way.
        if isFailure { noteFailure() }
        transfer?.cancel()
    }

    private var longestSilence: Duration {
        min(Self.silence, request.stallTimeout.map { $0 / 2 } ?? Self.silence)
    }

    func resume() { state.withLock { $0.exchange.resume() }?.resume() }

    func nudge() { state.withLock { $0.exchange.nudge() }?.nudge() }

    // MARK: - What the alternative sends

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        // It does not serve the origin (RFC 9110 §15.5.20).
        let isRejected = head.status == 421
        if isRejected || !speaks(head.protocolVersion) { noteFailure() }
        state.withLock { $0.phase = isRejected ? .rejected : .accepted }
        return isRejected ? .refuse : sink.transferReceived(head)
    }

    /// Whether a response has the version that the alternative was to speak.
    private func speaks(_ version: String) -> Bool {
        switch service.version {
        case .http1: version.hasPrefix("HTTP/1")
        case .http2: version.hasPrefix("HTTP/2")
        case .http3: version.hasPrefix("HTTP/3")
        }
    }

    func transferSent(_ count: Int64) { sink.transferSent(count) }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        sink.transferReceived(bytes)
    }

    func transferNudged() -> BodyDecision { sink.transferNudged() }

    func transferEnded(_ end: TransferEnd) {
        let (phase, asksAgain) = state.withLock { state in
            let phase = state.phase
            let asksAgain =
                switch phase {
                case .rejected: !state.exchange.isCancelled
                case .first: !state.exchange.isCancelled && mayAskAgain(after: end.outcome)
                case .accepted, .second, .ended: false
                }
            state.phase = asksAgain ? .second : .ended
            if asksAgain { state.exchange.end() }
            return (phase, asksAgain)
        }
        if asksAgain || phase == .accepted && isBroken(end.outcome) { noteFailure() }
        if asksAgain {
            // This thread is the transport's own.
            surroundings.pool.start { [self] _ in askAgain() }
        } else if phase == .rejected, end.outcome == .stopped {
            // The user did not refuse the head.
            sink.transferEnded(TransferEnd(.cancelled, timings: end.timings))
        } else {
            sink.transferEnded(end)
        }
    }

    private func noteFailure() {
        alternatives.noteFailure(of: service, at: AlternativeTransport.now)
    }

    /// Whether the alternative has begun a response that it did not send to its end.
    private func isBroken(_ outcome: TransferOutcome) -> Bool {
        guard case .failed(let failure) = outcome, !failure.isOfProxy else { return false }
        return [.connectionLost, .bodyIncomplete, .malformedResponse, .tlsFailed].contains(
            failure.kind
        )
    }

    /// Whether the server of the URL may be asked after an end without a response.
    private func mayAskAgain(after outcome: TransferOutcome) -> Bool {
        guard case .failed(let failure) = outcome, !failure.isOfProxy else { return false }
        switch failure.kind {
        // Nothing was sent.
        case .nameNotResolved, .cannotConnect, .connectTimedOut, .proxyRefused,
            .certificateRefused, .keyRefused, .addressRefused:
            return true
        case .tlsFailed, .connectionLost, .bodyIncomplete, .malformedResponse,
            .certificateRequired:
            return RequestMethod.isIdempotent(request.method)
        default: return false
        }
    }

    private func askAgain() {
        guard !state.withLock({ $0.exchange.isCancelled }) else {
            return sink.transferEnded(TransferEnd(.cancelled))
        }
        let transfer = surroundings.base.start(request, sink: sink)
        let calls = state.withLock { $0.exchange.begin(transfer) }
        calls.make(to: transfer)
    }
}
