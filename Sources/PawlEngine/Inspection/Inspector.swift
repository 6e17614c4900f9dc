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
    private let running = RunningTransfer()

    package init(url: URL, settings: DownloadSettings, engine: Engine) {
        self.url = url
        self.settings = settings
        self.engine = engine
    }

    /// Ends the request; `run` then throws.
    package func stop() { running.stop() }

    package func run() async throws(DownloadError) -> Findings {
        var exchange = ExchangePlanner(url: url, settings: settings, seed: 0)
        while true {
            let head = try await ask(exchange.request)
            switch HeadJudge.judge(head, expecting: HeadExpectation()) {
            case .redirect(_, let location):
                if case .fail(let error) = exchange.redirected(by: head, to: location) {
                    throw error
                }
            case .status(let status, let reason, _):
                throw DownloadError(status: status, reason: reason, host: exchange.request.host)
            case .malformed(let reason):
                throw DownloadError(.badResponse, reason)
            default:
                return Findings(head: head, redirects: exchange.redirects)
            }
        }
    }

    private func ask(
        _ asked: ExchangePlanner.Request
    ) async throws(DownloadError) -> ResponseHead {
        var request = TransferRequest(asked.url, settings: settings, original: url)
        request.cookies = engine.cookies(for: settings.connection)
        request.secureHosts = engine.secureHosts(for: settings.connection)
        request.alternatives = engine.alternatives(for: settings.connection)
        let sink = HeadSink()
        let transfer = engine.transport.start(request, sink: sink)
        running.attach(transfer)
        let timeout = settings.stallTimeout
        let alarm = engine.alarms.enroll { transfer.cancel() }
        defer { engine.alarms.resign(alarm) }
        engine.alarms.set(alarm, at: engine.time.now() + timeout)
        let outcome = await withTaskCancellationHandler {
            await sink.outcome.waitIgnoringCancellation()
        } onCancel: {
            running.stop()
        }
        if let head = sink.head { return head }
        guard case .failed(let failure) = outcome else {
            guard !running.isStopped else {
                throw DownloadError(.interrupted, "stopped before the server answered")
            }
            throw DownloadError(
                .timedOut,
                "\(asked.host) did not answer for \(timeout)",
                advice: "try again later"
            )
        }
        throw DownloadError(failure, host: asked.host).ofUnresumableRequest
    }
}

/// The transfer of an inspector, which can be ended from any thread.
private final class RunningTransfer: Sendable {
    private struct State {
        var transfer: (any Transfer)?
        var isStopped = false
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Takes the next transfer, which ends at once after `stop()`.
    func attach(_ transfer: any Transfer) {
        let isStopped = state.withLock { state in
            state.transfer = transfer
            return state.isStopped
        }
        if isStopped { transfer.cancel() }
    }

    func stop() {
        let transfer = state.withLock { state in
            state.isStopped = true
            return state.transfer
        }
        transfer?.cancel()
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
