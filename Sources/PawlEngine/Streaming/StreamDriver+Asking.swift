internal import Logging
internal import PawlCore
internal import Synchronization

/// From the request to a response that is accepted.
extension StreamDriver {
    /// Returns the accepted response, requesting one if there is none yet.
    func answer() async throws(DownloadError) -> DownloadResponse {
        if let response { return response }
        try order.check()
        return try await ask()
    }

    /// Sends requests until a response is accepted, following redirects and retrying temporary
    /// failures.
    func ask() async throws(DownloadError) -> DownloadResponse {
        while true {
            let running = try await begin()
            if let response = try await judge(running) { return response }
        }
    }

    private func begin() async throws(DownloadError) -> Running {
        let (next, isSuspended, limit) = state.withLock { state in
            (state.exchange.request, state.isSuspended, state.limit)
        }
        let slot = try await slot(next.host)
        let request = request(for: next)
        let wakeup = wakeup
        let exchange = StreamExchange(
            judge: StreamHeadJudge(
                method: next.method,
                fields: request.fields,
                acceptsErrorStatuses: order.acceptsErrorStatuses,
                limit: limit
            ),
            slot: slot,
            isSuspended: isSuspended,
            engine: engine,
            wake: { wakeup.send() }
        )
        logger.debug("\(next.method) \(next.url.redacted)")
        let transfer = engine.transport.start(request, sink: exchange)
        let running = Running(exchange: exchange, transfer: transfer)
        // A cancellation or suspension requested meanwhile did not reach the exchange.
        let isCancelled = state.withLock { state in
            state.running = running
            if state.isSuspended != isSuspended { exchange.setSuspended(state.isSuspended) }
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
        return running
    }

    private func slot(_ host: String) async throws(DownloadError) -> HostSlot {
        try checkTime()
        if let slot = line.ask(host) { return slot }
        while true {
            if let slot = line.take(host) { return slot }
            await wait(until: line.nextLook(after: engine.time.now()))
            do throws(DownloadError) { try checkTime() } catch {
                line.leave(host)
                throw error
            }
        }
    }

    private func request(for next: ExchangePlanner.Request) -> TransferRequest {
        var request = TransferRequest(
            next.url,
            settings: order.settings,
            original: order.url
        )
        request.cookies = engine.cookies
        request.method = next.method
        if next.sendsBody {
            request.body = order.body
        } else {
            request.fields = RedirectPolicy.fieldsWithoutBody(request.fields)
        }
        let rate = engine.limit.limitBytesPerSecond.map { Int(clamping: $0 / 16) } ?? .max
        request.bufferBytes = min(StreamExchange.pieceBytes, max(4 * 1024, rate))
        return request
    }

    /// Waits for the head and judges it.
    ///
    /// Returns `nil` if another request must be sent.
    private func judge(_ running: Running) async throws(DownloadError) -> DownloadResponse? {
        while true {
            try checkTime()
            switch running.exchange.asked {
            case .answered(let answer):
                if case .accept = answer.verdict { return accept(answer.head) }
                try await turnAway(answer, running)
                return nil
            case .ended(let end):
                note(end)
                try await broke(Self.failure(end), after: .nothing)
                return nil
            case .waiting: break
            }
            if await waitForNews(running) {
                try await stalled(after: .nothing)
                return nil
            }
        }
    }

    private func accept(_ head: ResponseHead) -> DownloadResponse {
        if let coding = Representation(head: head).contentEncoding {
            logger.notice(
                "the response is encoded (\(coding.sanitized)), which the request did not allow"
            )
        }
        return state.withLock { state in
            let response = DownloadResponse(head, redirects: state.exchange.redirects)
            state.head = head
            state.response = response
            state.phase = .receiving
            return response
        }
    }

    /// Handles a head that is not accepted: follows its redirect, or throws its error.
    private func turnAway(
        _ answer: StreamExchange.Answer,
        _ running: Running
    ) async throws(DownloadError) {
        try await settle(running)
        switch answer.verdict {
        case .accept: break
        case .redirect(let location):
            let status = answer.head.status
            try await follow(
                state.withLock { $0.exchange.redirected(status: status, to: location) }
            )
        case .status(let status, let reason, let retryAfter):
            let error = DownloadError(
                status: status,
                reason: reason,
                retryAfter: retryAfter,
                host: host
            )
            try await failed(error, error.retryClass == .later ? .later : nil)
        case .malformed(let fault):
            throw DownloadError(.badResponse, fault, advice: "try again later")
        case .tooLarge(let length):
            throw Self.tooLarge("\(length) bytes", limit: state.withLock { $0.limit } ?? 0)
        }
    }

    /// Waits for the end of a refused exchange, so that the next one can use its connection.
    private func settle(_ running: Running) async throws(DownloadError) {
        let since = engine.time.now()
        while true {
            try checkTime()
            if let end = running.exchange.end { return note(end) }
            let deadline = since + order.settings.stallTimeout
            guard engine.time.now() < deadline else { return running.transfer.cancel() }
            await wait(until: deadline)
        }
    }

    // MARK: - Decisions

    private var host: String { state.withLock { $0.exchange.request.host } }

    func broke(
        _ failure: TransferFailure,
        after progress: Progress
    ) async throws(DownloadError) {
        let repetition = ExchangePlanner.repetition(
            after: failure.kind,
            hasAnswered: progress != .nothing
        )
        try await failed(DownloadError(failure, host: host), repetition, after: progress)
    }

    func stalled(after progress: Progress) async throws(DownloadError) {
        let time = order.settings.stallTimeout
        let error = DownloadError(stalledFor: time, host: host, advice: "try again later")
        try await failed(error, .immediate, after: progress)
    }

    /// Waits until the original request may be repeated.
    ///
    /// The response cannot be resumed: nothing is repeated after a reader has seen a byte.
    private func failed(
        _ error: DownloadError,
        _ repetition: ExchangePlanner.Repetition?,
        after progress: Progress = .head
    ) async throws(DownloadError) {
        let step = state.withLock { state in
            let step = state.exchange.failed(error, progress == .seenBytes ? nil : repetition)
            if step.delay != nil { state.exchange.restart() }
            return step
        }
        try await follow(step)
    }

    /// Waits for the delay of a step.
    private func follow(_ step: ExchangePlanner.Step) async throws(DownloadError) {
        let delay: Duration
        switch step {
        case .fail(let error): throw error
        case .send(let after): delay = after
        case .sendLater(let after, let host, let pause):
            delay = after
            engine.budgets.close(host, for: pause)
        }
        guard delay > .zero else { return }
        logger.notice("retrying in \(delay)")
        let moment = engine.time.now() + delay
        while engine.time.now() < moment {
            try checkTime()
            await wait(until: moment)
        }
    }

    /// Waits for progress of the exchange.
    ///
    /// Returns `true` if there was none for too long and the exchange was ended.
    func waitForNews(_ running: Running) async -> Bool {
        let patience = order.settings.stallTimeout
        let deadline = running.exchange.quietSince.map { $0 + patience } ?? .distantFuture
        guard engine.time.now() >= deadline else {
            await wait(until: deadline)
            return false
        }
        running.transfer.cancel()
        return true
    }

    /// Returns the failure of an exchange that broke before its head or the end of its body.
    static func failure(_ end: TransferEnd) throws(DownloadError) -> TransferFailure {
        switch end.outcome {
        case .failed(let failure): return failure
        case .completed, .stopped:
            return TransferFailure(.malformedResponse, "received no response")
        // This object did not cancel it, or it would not be here: the transport was shut down.
        case .cancelled: throw stopped
        }
    }

    func note(_ end: TransferEnd) {
        state.withLock { state in
            state.metrics.ended(end)
            state.metrics.bytesReceived += state.running?.exchange.receivedBytes ?? 0
        }
    }
}
