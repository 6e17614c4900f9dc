internal import struct FoundationEssentials.Date
internal import struct FoundationEssentials.URL
package import PawlCore
package import PawlStorage
internal import Synchronization

/// Sends no request over HTTP to a host that demands HTTPS, and learns from responses which hosts do
/// so (RFC 6797).
///
/// A request over HTTP gets a redirect to HTTPS, as in browsers, so that redirects, secrets and
/// budgets of hosts need no further rule. Only requests with a list of such hosts are concerned.
package struct SecuringTransport: Transport {
    private let base: any Transport
    /// The threads that deliver the redirects.
    private let pool: BlockingPool

    package init(_ base: any Transport, pool: BlockingPool) {
        (self.base, self.pool) = (base, pool)
    }

    package var workTimes: [Duration] { base.workTimes }

    package func start(
        _ request: TransferRequest,
        sink: any TransferSink
    ) -> any Transfer {
        guard let hosts = request.secureHosts else { return base.start(request, sink: sink) }
        if let target = hosts.secured(request.url, at: Self.now) {
            let redirect = InternalRedirect(from: request.url, to: target, sink, pool)
            redirect.start()
            return redirect
        }
        // Anyone could have sent a response that was received without a check of the certificate.
        let learns = !request.connection.allowsUntrustedCertificates
        return base.start(request, sink: SecuringSink(sink, hosts, learns: learns))
    }

    fileprivate static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

/// Notes what a response demands, and passes it on.
private final class SecuringSink: TransferSink {
    private let sink: any TransferSink
    private let hosts: SecureHosts
    private let learns: Bool

    init(_ sink: any TransferSink, _ hosts: SecureHosts, learns: Bool) {
        (self.sink, self.hosts, self.learns) = (sink, hosts, learns)
    }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        let now = SecuringTransport.now
        if learns { hosts.learn(from: head, at: now) }
        return sink.transferReceived(secured(head, at: now))
    }

    /// Lets a redirect lead to HTTPS, because one from HTTPS to HTTP would be refused.
    private func secured(_ head: ResponseHead, at now: Int64) -> ResponseHead {
        guard (300...399).contains(head.status), let location = head["Location"],
            let target = URL(string: location.trimmed).flatMap({ hosts.secured($0, at: now) })
        else { return head }
        var head = head
        head.fields.removeAll { $0.hasName("Location") }
        head.fields.append(HTTPField(name: "Location", value: target.absoluteString))
        return head
    }

    func transferSent(_ count: Int64) { sink.transferSent(count) }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        sink.transferReceived(bytes)
    }

    func transferNudged() -> BodyDecision { sink.transferNudged() }

    func transferEnded(_ end: TransferEnd) { sink.transferEnded(end) }
}

/// An exchange without a server, which ends with a redirect to HTTPS.
private final class InternalRedirect: Transfer {
    private enum Phase {
        case waiting
        /// The sink is being passed the head.
        case delivering
        /// The sink has the head, and holds the body.
        case held
        case ended
    }

    private struct State {
        var phase = Phase.waiting
        /// The end that was asked for while the sink was being passed the head.
        var wanted: TransferOutcome?
    }

    private let head: ResponseHead
    private let sink: any TransferSink
    private let pool: BlockingPool
    private let state = Mutex(State())

    init(from url: URL, to target: URL, _ sink: any TransferSink, _ pool: BlockingPool) {
        var head = ResponseHead(
            url: url,
            status: 307,
            reason: "Internal Redirect",
            fields: [HTTPField(name: "Location", value: target.absoluteString)]
        )
        head.isUpgrade = true
        (self.head, self.sink, self.pool) = (head, sink, pool)
    }

    func start() {
        pool.start { [self] _ in
            let isDue = state.withLock { state in
                guard state.phase == .waiting else { return false }
                state.phase = .delivering
                return true
            }
            if isDue { deliver() }
        }
    }

    func cancel() { end(.cancelled) }

    func resume() { end(.completed) }

    func nudge() {}

    private func deliver() {
        let decided: TransferOutcome? =
            switch sink.transferReceived(head) {
            case .take: .completed
            case .refuse: .stopped
            case .hold: nil
            }
        let outcome = state.withLock { state in
            let outcome = decided ?? state.wanted
            state.phase = outcome == nil ? .held : .ended
            return outcome
        }
        if let outcome { sink.transferEnded(TransferEnd(outcome)) }
    }

    private func end(_ outcome: TransferOutcome) {
        let isDue = state.withLock { state in
            switch state.phase {
            case .delivering:
                state.wanted = state.wanted ?? outcome
                return false
            // Nothing is held yet.
            case .waiting where outcome == .completed: return false
            case .waiting, .held:
                state.phase = .ended
                return true
            case .ended: return false
            }
        }
        guard isDue else { return }
        pool.start { [self] _ in sink.transferEnded(TransferEnd(outcome)) }
    }
}
