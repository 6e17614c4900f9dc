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

    package init(_ base: any Transport, pool: BlockingPool) {
        (self.base, self.pool) = (base, pool)
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
        let attempt = AlternativeAttempt(request, service, alternatives, learning, base, pool)
        attempt.start(connectTimeout: Self.connectTimeout)
        return attempt
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
    }

    private struct State {
        var phase = Phase.first
        var isCancelled = false
        /// The running exchange; `nil` until it is known.
        var transfer: (any Transfer)?
    }

    private let request: TransferRequest
    private let service: AlternativeService
    private let alternatives: AlternativeServices
    private let sink: any TransferSink
    private let base: any Transport
    private let pool: BlockingPool
    private let state = Mutex(State())

    init(
        _ request: TransferRequest,
        _ service: AlternativeService,
        _ alternatives: AlternativeServices,
        _ sink: any TransferSink,
        _ base: any Transport,
        _ pool: BlockingPool
    ) {
        (self.request, self.service, self.alternatives) = (request, service, alternatives)
        (self.sink, self.base, self.pool) = (sink, base, pool)
    }

    func start(connectTimeout: Duration) {
        var first = request
        first.alternative = service
        first.connection.connectTimeout = min(connectTimeout, request.connection.connectTimeout)
        let transfer = base.start(first, sink: self)
        let isCancelled = state.withLock { state in
            // The second exchange may run already.
            if state.phase != .second { state.transfer = transfer }
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }

    // MARK: - The exchange as its user sees it

    func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        transfer?.cancel()
    }

    func resume() { state.withLock { $0.transfer }?.resume() }

    func nudge() { state.withLock { $0.transfer }?.nudge() }

    // MARK: - What the alternative sends

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        // It does not serve the origin (RFC 9110 §15.5.20).
        let isRejected = head.status == 421
        if isRejected || !speaks(head.protocolVersion) {
            alternatives.noteFailure(of: service, at: AlternativeTransport.now)
        }
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
        let asksAgain = state.withLock { state in
            guard !state.isCancelled else { return false }
            switch state.phase {
            case .rejected: break
            case .first where mayAskAgain(after: end.outcome): break
            case .first, .accepted, .second: return false
            }
            (state.phase, state.transfer) = (.second, nil)
            return true
        }
        guard asksAgain else { return sink.transferEnded(ended(end)) }
        alternatives.noteFailure(of: service, at: AlternativeTransport.now)
        // This thread is the transport's own.
        pool.start { [self] _ in askAgain() }
    }

    /// Returns the end for the user, who did not refuse a head that this type has refused.
    private func ended(_ end: TransferEnd) -> TransferEnd {
        let isRejected = state.withLock { $0.phase == .rejected }
        return isRejected && end.outcome == .stopped
            ? TransferEnd(.cancelled, timings: end.timings) : end
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
        guard !state.withLock({ $0.isCancelled }) else {
            return sink.transferEnded(TransferEnd(.cancelled))
        }
        let transfer = base.start(request, sink: sink)
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }
}
