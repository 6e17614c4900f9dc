internal import Logging
package import PawlCore
internal import Synchronization

/// Sends one request and delivers its response as it arrives: the head, the body in pieces, the
/// end.
///
/// It has no task of its own: the caller that waits for something drives it, one at a time.
/// Releasing this object ends the request and its connection.
package final class StreamDriver: Sendable {
    package enum Piece: Sendable {
        case bytes([UInt8])
        case end
        /// The first response broke and another one replaced it.
        ///
        /// `isSame`: whether both describe the same bytes.
        case restarted(isSame: Bool)
    }

    /// The part of a response that was received before it broke or stalled.
    private enum Progress {
        case nothing
        /// A good head, and no byte that a reader has seen.
        case head
        /// Bytes that a reader has seen.
        case seenBytes
    }

    private struct Running: Sendable {
        let exchange: StreamExchange
        let transfer: any Transfer
    }

    private enum Phase: Sendable {
        case idle
        case receiving
        case finished
        case failed(DownloadError)
    }

    private struct State: Sendable {
        var exchange: ExchangePlanner
        var phase = Phase.idle
        var running: Running?
        var head: ResponseHead?
        var response: DownloadResponse?
        /// Whether a reader has seen bytes of the body.
        var hasGivenBytes = false
        /// The maximum length of a body that is collected.
        var limit: Int64?
        /// Whether the server's codings can be decoded, as far as it is known.
        var decodes = true
        var isBusy = false
        var isSuspended = false
        var metrics = TaskMetrics()
        /// A callback that is called once.
        var whenEnded: (@Sendable () -> Void)?
    }

    /// The maximum number of bytes reserved for a body: its announced length cannot be trusted.
    private static let mostReservedBytes: Int64 = 8 << 20

    private let job: StreamJob
    private let engine: Engine
    private let state: Mutex<State>
    private let clock: StreamClock
    private let slotWaiter: SlotWaiter
    private let logger: Logger

    /// Creates a driver.
    ///
    /// Nothing is sent until a method is called.
    package init(_ job: StreamJob, engine: Engine) {
        self.job = job
        self.engine = engine
        let clock = StreamClock(engine)
        self.clock = clock
        slotWaiter = SlotWaiter(engine.budgets) { [wakeup = clock.wakeup] in wakeup.send() }
        let exchange = ExchangePlanner(
            url: job.url,
            method: job.method,
            settings: job.settings,
            seed: job.seed
        )
        state = Mutex(State(exchange: exchange))
        var logger = engine.logger
        logger[metadataKey: "url"] = "\(job.url.redacted)"
        self.logger = logger
    }

    deinit {
        let running = state.withLock { $0.running }
        if let running, running.exchange.end == nil { running.transfer.cancel() }
        tellEnd()
    }

    // MARK: - Requests by callers

    /// Sets a callback that is called once, when the request has ended or nobody is left to drive
    /// it.
    package func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            switch state.phase {
            case .finished, .failed: return true
            case .idle, .receiving: break
            }
            guard !clock.isCancelled else { return true }
            state.whenEnded = body
            return false
        }
        if hasEnded { body() }
    }

    private func tellEnd() {
        let body = state.withLock { state in
            defer { state.whenEnded = nil }
            return state.whenEnded
        }
        body?()
    }

    /// Returns the response's head as soon as a response is accepted.
    ///
    /// The body is not fetched until it is requested. Cancelling the task ends the request.
    package func open() async throws(DownloadError) -> DownloadResponse {
        try await working { () async throws(DownloadError) in try await answer() }
    }

    /// Returns the next piece of the body, which is never empty; `nil` at its end.
    ///
    /// Cancelling the task ends the request.
    package func next() async throws(DownloadError) -> [UInt8]? {
        try await working { () async throws(DownloadError) -> [UInt8]? in
            _ = try await answer()
            while true {
                switch try await piece(after: { given }) {
                case .bytes(let bytes):
                    state.withLock { $0.hasGivenBytes = true }
                    return bytes
                case .end: return nil
                case .restarted(let isSame):
                    guard isSame else { throw Self.changed }
                }
            }
        }
    }

    /// Returns the next piece of the body.
    ///
    /// If the body breaks, `takesBack` is called. If it returns `true`, having discarded the bytes
    /// received so far, the body is requested again from its beginning. It returns `false` if a
    /// reader has seen part of the body. Cancelling the task ends the request.
    package func piece(takesBack: () -> Bool) async throws(DownloadError) -> Piece {
        try await working { () async throws(DownloadError) -> Piece in
            _ = try await answer()
            return try await piece(after: { takesBack() ? .head : .seenBytes })
        }
    }

    /// Returns the whole body, up to a maximum length.
    ///
    /// If the body breaks and the method allows it, it is requested again, as no reader has seen
    /// part of it.
    package func collect(limit: Int64) async throws(DownloadError) -> CollectedBody {
        try await working { () async throws(DownloadError) -> CollectedBody in
            state.withLock { $0.limit = limit }
            _ = try await answer()
            return try await collectPieces(limit: limit)
        }
    }

    /// Ends the request.
    ///
    /// A caller that waits gets `.interrupted`.
    package func cancel() {
        clock.cancel()
        let running = state.withLock { $0.running }
        if let running, running.exchange.end == nil { running.transfer.cancel() }
        tellEnd()
    }

    /// Stops delivering bytes; the connection stays open.
    package func suspend() { setSuspended(true) }

    package func resume() { setSuspended(false) }

    private func setSuspended(_ isSuspended: Bool) {
        // This is done under the lock, so that the exchange receives the changes in order.
        state.withLock { state in
            state.isSuspended = isSuspended
            state.running?.exchange.setSuspended(isSuspended)
        }
        clock.wakeup.send()
    }

    // MARK: - State for callers

    /// The accepted response; `nil` if there is none yet.
    package var response: DownloadResponse? { state.withLock { $0.response } }

    /// The number of bytes received of the current body.
    package var receivedBytes: Int64 {
        state.withLock { $0.running }?.exchange.receivedBytes ?? 0
    }

    /// The number of bytes sent of the request's own body.
    package var sentBytes: Int64 { state.withLock { $0.running }?.exchange.sentBytes ?? 0 }

    package var metrics: TaskMetrics {
        let duration = clock.duration
        return state.withLock { state in
            var metrics = state.metrics
            metrics.redirects = state.exchange.redirects.count
            metrics.protocolVersion = state.head?.protocolVersion
            metrics.duration = duration
            return metrics
        }
    }

    // MARK: - From the request to a response that is accepted

    /// Returns the accepted response, requesting one if there is none yet.
    private func answer() async throws(DownloadError) -> DownloadResponse {
        if let response { return response }
        try job.check()
        return try await ask()
    }

    /// Sends requests until a response is accepted, following redirects and retrying temporary
    /// failures.
    private func ask() async throws(DownloadError) -> DownloadResponse {
        while true {
            let running = try await begin()
            if let response = try await judge(running) { return response }
        }
    }

    private func begin() async throws(DownloadError) -> Running {
        let (next, isSuspended, limit, decodes) = state.withLock { state in
            (state.exchange.request, state.isSuspended, state.limit, state.decodes)
        }
        let slot = try await slot(next.host)
        let request = job.request(for: next, decodes: decodes, engine: engine)
        let exchange = StreamExchange(
            judge: StreamHeadJudge(
                method: next.method,
                fields: request.fields,
                acceptsErrorStatuses: job.acceptsErrorStatuses,
                limit: limit
            ),
            slot: slot,
            isSuspended: isSuspended,
            engine: engine,
            wake: { [wakeup = clock.wakeup] in wakeup.send() }
        )
        logger.debug("\(next.method) \(next.url.redacted)")
        let transfer = engine.transport.start(request, sink: exchange)
        let running = Running(exchange: exchange, transfer: transfer)
        // A cancellation or suspension requested meanwhile did not reach the exchange.
        state.withLock { state in
            state.running = running
            if state.isSuspended != isSuspended { exchange.setSuspended(state.isSuspended) }
        }
        if clock.isCancelled { transfer.cancel() }
        return running
    }

    private func slot(_ host: String) async throws(DownloadError) -> HostSlot {
        try clock.check()
        if let slot = slotWaiter.ask(host) { return slot }
        while true {
            if let slot = slotWaiter.take(host) { return slot }
            await clock.wait(until: slotWaiter.nextCheck(after: engine.time.now()))
            do throws(DownloadError) { try clock.check() } catch {
                slotWaiter.leave(host)
                throw error
            }
        }
    }

    /// Waits for the head and judges it.
    ///
    /// Returns `nil` if another request must be sent.
    private func judge(_ running: Running) async throws(DownloadError) -> DownloadResponse? {
        while true {
            try clock.check()
            switch running.exchange.asked {
            case .answered(let answer):
                if case .accept = answer.verdict { return accept(answer.head) }
                try await turnAway(answer, running)
                return nil
            case .ended(let end):
                note(end)
                try await broke(end.failure(), after: .nothing)
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
        if head.decoding == .none, !job.choosesCodings,
            let coding = Representation(head: head).contentEncoding?.sanitized
        {
            logger.notice("the response is encoded (\(coding)), which the request did not allow")
        }
        return state.withLock { state in
            let response = state.exchange.response(head)
            state.head = head
            state.response = response
            state.phase = .receiving
            return response
        }
    }

    /// Handles a head that is not accepted: follows its redirect, or throws its error.
    private func turnAway(
        _ answer: StreamExchange.JudgedHead,
        _ running: Running
    ) async throws(DownloadError) {
        var longest = job.settings.stallTimeout
        if case .status = answer.verdict { longest = min(longest, ErrorBody.longestTime) }
        try await settle(running, within: longest)
        let response = state.withLock { $0.exchange.response(answer.head) }
        switch answer.verdict {
        case .accept: break
        case .redirect(let location):
            let step = state.withLock { $0.exchange.redirected(by: answer.head, to: location) }
            try await follow(step)
        case .status(let status, let reason, let retryAfter):
            var error = DownloadError(
                status: status,
                reason: reason,
                retryAfter: retryAfter,
                host: host
            )
            let (body, isWhole) = running.exchange.errorBody
            error.errorResponse = ErrorResponse(response, body: body.bytes, isWhole: isWhole)
            try await failed(error, error.retryClass == .later ? .later : nil)
        case .malformed(let fault):
            throw DownloadError(.badResponse, fault, advice: "try again later")
        case .undecodable(let coding): try askForPlainBody(insteadOf: coding)
        case .tooLarge(let length):
            throw Self.tooLarge("\(length) bytes", limit: state.withLock { $0.limit } ?? 0)
        }
    }

    /// Makes the next request accept no coding; throws if there may not be another request.
    private func askForPlainBody(insteadOf coding: String) throws(DownloadError) {
        let isFirst = state.withLock { state in
            defer { state.decodes = false }
            return state.decodes
        }
        guard isFirst, RequestMethod.isIdempotent(job.method) else {
            throw Self.undecodable(coding)
        }
    }

    /// Waits for the end of a refused exchange, so that the next one can use its connection.
    private func settle(_ running: Running, within time: Duration) async throws(DownloadError) {
        let since = engine.time.now()
        while true {
            try clock.check()
            if let end = running.exchange.end { return note(end) }
            let deadline = since + time
            guard engine.time.now() < deadline else { return running.transfer.cancel() }
            await clock.wait(until: deadline)
        }
    }

    // MARK: - Decisions

    private var host: String { state.withLock { $0.exchange.request.host } }

    private func broke(
        _ failure: TransferFailure,
        after progress: Progress
    ) async throws(DownloadError) {
        let repetition = ExchangePlanner.repetition(
            after: failure.kind,
            hasResponded: progress != .nothing
        )
        let error = DownloadError(failure, host: host).ofUnresumableRequest
        try await failed(error, repetition, after: progress)
    }

    private func stalled(after progress: Progress) async throws(DownloadError) {
        let timeout = job.settings.stallTimeout
        let error = DownloadError(stalledFor: timeout, host: host, advice: "try again later")
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
            try clock.check()
            await clock.wait(until: moment)
        }
    }

    /// Waits for progress of the exchange.
    ///
    /// Returns `true` if there was none for too long and the exchange was ended.
    private func waitForNews(_ running: Running) async -> Bool {
        let timeout = job.settings.stallTimeout
        let deadline = running.exchange.quietSince.map { $0 + timeout } ?? .distantFuture
        guard engine.time.now() >= deadline else {
            await clock.wait(until: deadline)
            return false
        }
        running.transfer.cancel()
        return true
    }

    private func note(_ end: TransferEnd) {
        state.withLock { state in
            state.metrics.ended(end)
            state.metrics.bytesReceived += state.running?.exchange.receivedBytes ?? 0
        }
    }

    // MARK: - From the head to the end of the body

    /// Returns the next piece of the body.
    ///
    /// If the body breaks, it is requested again unless a reader has seen part of it. `progress` is
    /// called only then, because a reader may see more until then.
    private func piece(
        after progress: () -> Progress
    ) async throws(DownloadError) -> Piece {
        while true {
            let (phase, running) = state.withLock { ($0.phase, $0.running) }
            guard case .receiving = phase, let running else { return .end }
            try clock.check()
            let (reading, resumes) = running.exchange.take()
            if resumes { running.transfer.resume() }
            switch reading {
            case .bytes(let bytes): return .bytes(bytes)
            case .ended(let end): return try await ended(end, after: progress)
            case .nothing:
                guard await waitForNews(running) else { continue }
                try await stalled(after: progress())
                return try await startOver()
            }
        }
    }

    private func collectPieces(limit: Int64) async throws(DownloadError) -> CollectedBody {
        // The head may have been judged before there was a limit.
        let announced = announcedBytes
        if let announced, announced > limit {
            throw Self.tooLarge("\(announced) bytes", limit: limit)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(clamping: min(announced ?? 0, Self.mostReservedBytes)))
        while true {
            switch try await piece(after: { given }) {
            case .bytes(let more):
                guard Int64(bytes.count) + Int64(more.count) <= limit else {
                    throw Self.tooLarge("more bytes", limit: limit)
                }
                bytes.append(contentsOf: more)
            case .restarted: bytes = []
            case .end:
                guard let response else { throw StreamClock.stopped }
                return CollectedBody(bytes: bytes, response: response)
            }
        }
    }

    /// What a reader who takes one piece after another has seen.
    private var given: Progress {
        state.withLock { $0.hasGivenBytes } ? .seenBytes : .head
    }

    private func ended(
        _ end: TransferEnd,
        after progress: () -> Progress
    ) async throws(DownloadError) -> Piece {
        note(end)
        if case .completed = end.outcome {
            self.end(.finished)
            return .end
        }
        try clock.check()
        try await broke(end.failure(), after: progress())
        return try await startOver()
    }

    private func startOver() async throws(DownloadError) -> Piece {
        let before = state.withLock { state in
            defer { (state.head, state.response) = (nil, nil) }
            return state.head
        }
        _ = try await ask()
        let after = state.withLock { $0.head }
        return .restarted(isSame: before?.traits == after?.traits)
    }

    /// The length of the body according to the head; `nil` if it is not known.
    package var announcedBytes: Int64? {
        let (head, method) = state.withLock { ($0.head, $0.exchange.request.method) }
        guard let head, method != "HEAD", head.decoding == .none,
            case .sound(let length) = BodyFraming(of: head)
        else {
            return nil
        }
        return length
    }

    // MARK: - Working

    /// Runs one operation; only one can run at a time.
    private func working<Value: Sendable>(
        _ work: () async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        try enter()
        defer { state.withLock { $0.isBusy = false } }
        do throws(DownloadError) {
            return try await cancellable(work, onCancel: cancel)
        } catch {
            throw fail(error)
        }
    }

    private func enter() throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            guard !state.isBusy else {
                throw .usage(
                    "two readers are reading one response at the same time",
                    advice: "use one reader, which passes the bytes to the other"
                )
            }
            if case .failed(let error) = state.phase { throw error }
            if case .idle = state.phase { clock.begin(limit: job.settings.maximumDuration) }
            state.isBusy = true
        }
    }

    /// Ends everything.
    ///
    /// Returns the error with a description of what was being done.
    private func fail(_ error: DownloadError) -> DownloadError {
        var error = error.about(job.url)
        let isFetching = job.method == "GET" || job.method == "HEAD"
        let verb = isFetching ? "fetching" : "sending \(job.method.sanitized) to"
        error.context = error.context ?? "\(verb) \(job.url.redacted)"
        let running = end(.failed(error))
        running?.transfer.cancel()
        return error
    }

    @discardableResult
    private func end(_ phase: Phase) -> Running? {
        defer { tellEnd() }
        clock.end()
        return state.withLock { state in
            state.phase = phase
            return state.running
        }
    }
}
