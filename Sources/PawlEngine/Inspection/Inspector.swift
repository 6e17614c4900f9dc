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
            case .redirect(let location):
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
                    host: address.host() ?? "the server"
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
        request.cookies = engine.cookies
        let sink = HeadSink()
        let transfer = engine.transport.start(request, sink: sink)
        let (time, patience) = (engine.time, settings.stallTimeout)
        let end = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // This task is cancelled if the head arrives first.
                guard (try? await time.sleep(until: time.now() + patience)) != nil else { return }
                transfer.cancel()
            }
            let end = await sink.receive(from: transfer)
            group.cancelAll()
            return end
        }
        if let head = end.head { return head }
        guard case .failed(let failure) = end.outcome else {
            guard !Task.isCancelled else {
                throw DownloadError(.interrupted, "stopped before the server answered")
            }
            throw DownloadError(
                .timedOut,
                "\(address.host() ?? "the server") did not answer for \(patience)",
                advice: "try again later"
            )
        }
        throw DownloadError(failure, host: address.host() ?? "the server")
    }
}

/// Takes a head and refuses the body.
private final class HeadSink: TransferSink {
    private struct State {
        var head: ResponseHead?
        var outcome: TransferOutcome?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func receive(
        from transfer: any Transfer
    ) async -> (head: ResponseHead?, outcome: TransferOutcome) {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasEnded = state.withLock { state in
                    guard state.outcome == nil else { return true }
                    state.waiter = continuation
                    return false
                }
                if hasEnded { continuation.resume() }
            }
        } onCancel: {
            transfer.cancel()
        }
        return state.withLock { ($0.head, $0.outcome ?? .cancelled) }
    }

    func transferReceived(_ head: ResponseHead) -> HeadAnswer {
        state.withLock { $0.head = head }
        return .refuse
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer { .stop }

    func transferEnded(_ end: TransferEnd) {
        let waiter = state.withLock { state in
            state.outcome = end.outcome
            return state.waiter
        }
        waiter?.resume()
    }
}
