internal import Logging
package import PawlCore
internal import Synchronization

/// Sends one request and delivers its response as it arrives: the head, the body in pieces, the
/// end.
///
/// It has no task of its own: the caller that waits for something drives it, one at a time.
/// Releasing this object ends the request and its connection.
package final class StreamDriver: Sendable {
    struct Running: Sendable {
        let exchange: StreamExchange
        let transfer: any Transfer
    }

    enum Phase: Sendable {
        case idle
        case receiving
        case finished
        case failed(DownloadError)
    }

    struct State: Sendable {
        var exchange: ExchangePlanner
        var phase = Phase.idle
        var running: Running?
        var head: ResponseHead?
        var response: DownloadResponse?
        /// Whether a reader has seen bytes of the body.
        var hasGivenBytes = false
        /// The maximum length of a body that is collected.
        var limit: Int64?
        var isBusy = false
        var isCancelled = false
        var isSuspended = false
        var metrics = TaskMetrics()
        var began: Moment?
        var deadline = Moment.distantFuture
        /// A callback that is called once.
        var whenEnded: (@Sendable () -> Void)?
    }

    let order: StreamOrder
    let engine: Engine
    let state: Mutex<State>
    let wakeup = Wakeup()
    let line: SlotWaiter
    let logger: Logger
    private let alarm: AlarmClock.Ticket

    /// Creates a driver.
    ///
    /// Nothing is sent until a method is called.
    package init(_ order: StreamOrder, engine: Engine) {
        self.order = order
        self.engine = engine
        let wakeup = wakeup
        line = SlotWaiter(engine.budgets) { wakeup.send() }
        alarm = engine.alarms.enroll { wakeup.send() }
        let exchange = ExchangePlanner(
            url: order.url,
            method: order.method,
            settings: order.settings,
            seed: order.seed
        )
        state = Mutex(State(exchange: exchange))
        var logger = engine.logger
        logger[metadataKey: "url"] = "\(order.url.redacted)"
        self.logger = logger
    }

    deinit {
        engine.alarms.resign(alarm)
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
            if !state.isCancelled { state.whenEnded = body }
            return state.isCancelled
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
                case .anew(let isSame):
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
        let running = state.withLock { state in
            state.isCancelled = true
            return state.running
        }
        if let running, running.exchange.end == nil { running.transfer.cancel() }
        wakeup.send()
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
        wakeup.send()
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
        let now = engine.time.now()
        return state.withLock { state in
            var metrics = state.metrics
            metrics.redirects = state.exchange.redirects.count
            metrics.protocolVersion = state.head?.protocolVersion
            if let began = state.began { metrics.duration += now - began }
            return metrics
        }
    }

    // MARK: - Working

    /// Runs one operation; only one can run at a time.
    private func working<Value: Sendable>(
        _ work: () async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        try enter()
        defer { state.withLock { $0.isBusy = false } }
        let result = await withTaskCancellationHandler {
            () async -> Result<Value, DownloadError> in
            do throws(DownloadError) {
                return .success(try await work())
            } catch {
                return .failure(fail(error))
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func enter() throws(DownloadError) {
        let now = engine.time.now()
        try state.withLock { (state) throws(DownloadError) in
            guard !state.isBusy else {
                throw DownloadError(
                    .usage,
                    "two readers are reading one response at the same time",
                    advice: "use one reader, which passes the bytes to the other"
                )
            }
            if case .failed(let error) = state.phase { throw error }
            if state.began == nil, case .idle = state.phase {
                state.began = now
                state.deadline = order.settings.maximumDuration.map { now + $0 } ?? .distantFuture
            }
            state.isBusy = true
        }
    }

    /// Ends everything.
    ///
    /// Returns the error with a description of what was being done.
    private func fail(_ error: DownloadError) -> DownloadError {
        var error = error
        let isFetching = order.method == "GET" || order.method == "HEAD"
        let verb = isFetching ? "fetching" : "sending \(order.method.sanitized) to"
        error.context = error.context ?? "\(verb) \(order.url.redacted)"
        let running = end(.failed(error))
        running?.transfer.cancel()
        return error
    }

    @discardableResult
    func end(_ phase: Phase) -> Running? {
        let now = engine.time.now()
        defer { tellEnd() }
        return state.withLock { state in
            state.phase = phase
            if let began = state.began { state.metrics.duration += now - began }
            state.began = nil
            return state.running
        }
    }

    /// Throws if the request was cancelled or took too long.
    func checkTime() throws(DownloadError) {
        let (isCancelled, deadline) = state.withLock { ($0.isCancelled, $0.deadline) }
        if isCancelled { throw Self.stopped }
        guard engine.time.now() >= deadline else { return }
        throw DownloadError(
            .timedOut,
            "the request exceeded its time limit",
            advice: "raise the time limit"
        )
    }

    /// Waits until something happens, at most until the given moment.
    func wait(until moment: Moment = .distantFuture) async {
        engine.alarms.set(alarm, at: min(moment, state.withLock { $0.deadline }))
        await wakeup.waitIgnoringCancellation()
    }

    static let stopped = DownloadError(.interrupted, "stopped before the end of the response")

    package static let changed = DownloadError(
        .keepsChanging,
        "the connection broke before the first byte, and the second response differs",
        advice: "send the request again"
    )
}
