package import struct FoundationEssentials.URL
package import PawlCore
internal import Synchronization

/// Requests a file's head, following redirects, without its body.
package struct Inspector: Sendable {
    package struct Findings: Sendable {
        package var head: ResponseHead
        package var redirects: [URL]
    }

    let url: URL
    let settings: DownloadSettings
    let engine: Engine

    package init(url: URL, settings: DownloadSettings, engine: Engine) {
        self.url = url
        self.settings = settings
        self.engine = engine
    }

    package func run() async throws(DownloadError) -> Findings {
        var address = url
        var redirects: [URL] = []
        while true {
            let head = try await ask(address)
            switch HeadJudge.judge(head, expecting: HeadExpectation()) {
            case .redirect(let location, _):
                let policy = RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirects)
                let next = try policy.next(
                    from: address,
                    location: location,
                    hops: redirects.count
                )
                redirects.append(address)
                address = next
            case .status(let status, let reason, _):
                throw DownloadError(
                    status: status,
                    reason: reason,
                    host: HostBudget.name(of: address)
                )
            case .malformed(let reason):
                throw DownloadError(.badResponse, reason)
            default:
                return Findings(head: head, redirects: redirects)
            }
        }
    }

    private func ask(_ address: URL) async throws(DownloadError) -> ResponseHead {
        var request = TransferRequest(address, settings: settings, original: url)
        request.cookies = engine.cookies(for: settings.connection)
        request.secureHosts = engine.secureHosts(for: settings.connection)
        let sink = HeadSink()
        let transfer = engine.transport.start(request, sink: sink)
        let timeout = settings.stallTimeout
        let alarm = engine.alarms.enroll { transfer.cancel() }
        defer { engine.alarms.resign(alarm) }
        engine.alarms.set(alarm, at: engine.time.now() + timeout)
        let outcome = await withTaskCancellationHandler {
            await sink.outcome.waitIgnoringCancellation()
        } onCancel: {
            transfer.cancel()
        }
        if let head = sink.head { return head }
        guard case .failed(let failure) = outcome else {
            guard !Task.isCancelled else {
                throw DownloadError(.interrupted, "stopped before the server answered")
            }
            throw DownloadError(
                .timedOut,
                "\(HostBudget.name(of: address)) did not answer for \(timeout)",
                advice: "try again later"
            )
        }
        throw DownloadError(failure, host: HostBudget.name(of: address)).ofUnresumableRequest
    }
}

/// Takes a head and refuses the body.
private final class HeadSink: TransferSink {
    let outcome = Completion<TransferOutcome>()
    private let received = Mutex<ResponseHead?>(nil)

    var head: ResponseHead? { received.withLock { $0 } }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        received.withLock { $0 = head }
        return .refuse
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision { .stop }

    func transferEnded(_ end: TransferEnd) { outcome.complete(with: end.outcome) }
}
