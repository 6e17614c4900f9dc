public import PawlCore
internal import PawlEngine
internal import Synchronization

/// A handler that is called once, when a data task has ended.
public typealias DataCompletionHandler = @Sendable (Result<FetchedData, DownloadError>) -> Void

/// A request of a session whose response is returned as data instead of a file.
///
/// ```swift
/// let task = session.dataTask(with: url)
/// task.resume()
/// let release = try await task.data.json(Release.self)
/// ```
///
/// There are four ways to get the body: `data` or the completion handler for the whole body, up to
/// a limit; `bytes` or `stream(to:)` for pieces as they arrive; and the delegate, which receives
/// pieces in addition to any of these. A body that nobody requests waits: 256 KiB of it are
/// received, and no more, unless there is a delegate. After the settings' `stallTimeout` the task
/// fails. With a delegate, request the body before that many bytes have been received. If only the
/// delegate receives the body, the limit does not apply, and no more than those bytes are kept: the
/// next piece is fetched when the delegate's method has returned.
///
/// A data task cannot be resumed: if the connection breaks after the first bytes were seen, the
/// task ends.
public final class DataTask: SessionTask, @unchecked Sendable {
    private struct Run {
        /// The control of the queued or running run.
        var control = StreamControl()
        var response: DownloadResponse?
        var rate = RateEstimator()
        /// The slot of the running run.
        var slot: RunSlot?
    }

    private let limit: Int64
    private let buffer: DataTaskBuffer
    /// Whether the task was created and awaited in one call: it needs no turn, and nobody else gets
    /// its bytes.
    private let isAwaitedAtOnce: Bool
    private let current = Mutex(Run())
    /// Wakes the run when the delegate has received a piece.
    private let delivered = Wakeup()

    init(
        _ request: DownloadRequest,
        limit: Int64,
        at membership: Membership,
        isAwaitedAtOnce: Bool = false,
        completionHandler: DataCompletionHandler? = nil
    ) {
        self.limit = limit
        self.isAwaitedAtOnce = isAwaitedAtOnce
        let isCollected = isAwaitedAtOnce || completionHandler != nil
        buffer = DataTaskBuffer(isCollected ? .collected : .undecided, limit: limit)
        super.init(
            request,
            request.settings(in: membership.session.configuration),
            at: membership,
            completionHandler: completionHandler.map { handler -> CompletionHandler in
                { (result: Result<TaskProduct, DownloadError>) in handler(result.flatMap(\.data)) }
            }
        )
    }

    /// The server's response; `nil` until the server has responded.
    public override var response: DownloadResponse? { current.withLock { $0.response } }

    /// The measurements of the task so far.
    public override var metrics: TaskMetrics { control.driver?.metrics ?? TaskMetrics() }

    /// The whole body in memory, as soon as it is complete.
    ///
    /// Reading this does not start the request; `resume()` does. If the last Swift task that awaits
    /// it is cancelled, the request is cancelled. It may return before the delegate's last call for
    /// the task and before the completion handler.
    ///
    /// - Throws: `DownloadError`, with the code `.tooLarge` if the body is larger than the task's
    ///   limit, or `.usage` if it is read in pieces.
    public var data: FetchedData {
        get async throws(DownloadError) {
            do throws(DownloadError) {
                try buffer.setUse(.collected)
            } catch {
                // A failed task has a better reason.
                throw self.error ?? error
            }
            var outcome = await waitForOutcome(else: .cancelAsked(keeping: false)).outcome
            if outcome == nil {
                await end.waitIgnoringCancellation()
                outcome = self.outcome
            }
            let data = try (outcome ?? .success(.given)).flatMap(\.data).get()
            guard Int64(data.bytes.count) <= limit else {
                throw StreamDriver.tooLarge("\(data.bytes.count) bytes", limit: limit)
            }
            return data
        }
    }

    /// The body in pieces as they arrive, with back-pressure.
    ///
    /// Reading this does not start the task; `resume()` does. Cancelling the task that reads it
    /// cancels this task.
    public var bytes: TaskBytes { TaskBytes(task: self) }

    /// Passes each piece of the body to a closure, and fetches at most one buffer ahead.
    ///
    /// - Throws: `DownloadError`, or the closure's error, which cancels the task.
    public nonisolated(nonsending) func stream(
        to sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        for try await chunk in bytes { try await sink(chunk) }
    }

    // MARK: - For readers

    func startReading() -> Result<Void, DownloadError> {
        do throws(DownloadError) {
            return .success(try buffer.setUse(.read))
        } catch {
            return .failure(self.error ?? error)
        }
    }

    func nextBytes() async throws(DownloadError) -> [UInt8]? {
        try await cancellable(buffer.take, onCancel: cancel)
    }

    /// Handles that the delegate has received a piece.
    func pieceDelivered() { delivered.send() }

    // MARK: - For its lifecycle

    private var control: StreamControl { current.withLock { $0.control } }

    override func renewControl() { current.withLock { $0.control = StreamControl() } }

    override var takesSlot: Bool { !isAwaitedAtOnce }

    override func hold() {
        control.suspend()
        buffer.wakeWriter()
        // Let another task start: this one may be held for ever.
        current.withLock { $0.slot }?.releaseUnderLock()
    }

    override func release() {
        control.resume()
        buffer.wakeWriter()
    }

    override func stop(keeping: Bool) {
        control.stop()
        buffer.wakeWriter()
    }

    override func work(
        _ slot: RunSlot,
        after handover: Handover?
    ) async throws(DownloadError) -> TaskProduct {
        current.withLock { $0.slot = slot }
        defer { current.withLock { $0.slot = nil } }
        if state == .suspended { slot.release() }
        let request = ConnectedRequest(
            url: originalRequest.url,
            settings: settings,
            control: control,
            engine: engine
        ) { isWaiting in
            self.connectivityChanged(isWaiting, slot)
        }
        do throws(DownloadError) {
            return try await request.run(unless: response != nil) {
                () async throws(DownloadError) in try await fetch(slot)
            }
        } catch {
            current.withLock { $0.response = $0.response ?? error.errorResponse?.response }
            throw error
        }
    }

    override func newEvents(_ reports: inout TaskReports, isLast: Bool) -> [Delivery] {
        // The task's lock is held, so its state cannot be read.
        reports.newEvent(of: self, progress(in: .running)).map { [$0] } ?? []
    }

    override func settled(_ outcome: Result<TaskProduct, DownloadError>) {
        buffer.end(outcome.map { _ in })
    }

    /// The progress, in bytes of the body, which a content coding may have made shorter on the
    /// network.
    override var ownProgress: DownloadProgress { progress(in: state) }

    private func progress(in state: TaskState) -> DownloadProgress {
        let count = control.driver?.receivedBytes ?? 0
        let now = engine.time.now()
        return current.withLock { run in
            var progress = DownloadProgress()
            progress.completedBytes = count
            progress.totalBytes = run.response?.expectedContentLength
            progress.name = run.response?.suggestedFilename ?? ""
            progress.phase = Self.phase(state, hasResponse: run.response != nil)
            guard progress.phase == .receiving else { return progress }
            run.rate.record(totalBytes: count, at: now)
            progress.bytesPerSecond = run.rate.bytesPerSecond(at: now)
            progress.connections = 1
            return progress
        }
    }

    private static func phase(_ state: TaskState, hasResponse: Bool) -> DownloadPhase {
        switch state {
        case .waiting, .suspended, .paused: .waiting
        case .waitingForConnectivity: .waitingForConnectivity
        case .running: hasResponse ? .receiving : .connecting
        case .finished: .finished
        case .failed, .cancelled: .failed
        }
    }

    // MARK: - The request

    /// Fetches the body into the buffer.
    private func fetch(_ slot: RunSlot) async throws(DownloadError) -> TaskProduct {
        let driver = StreamDriver(try makeJob(), engine: engine)
        // A failure outside of it must not leave the connection open while somebody holds the task.
        defer { driver.cancel() }
        control.attach(driver)
        try answered(try await driver.open(), driver)
        while true {
            try await waitForRoom(slot)
            switch try await driver.piece(takesBack: buffer.takeBack) {
            case .bytes(let bytes):
                let isDelivered = await deliver(bytes)
                try buffer.put(bytes, isDelivered: isDelivered)
            case .restarted(let isSame):
                guard let response = driver.response else { continue }
                guard isSame || session.delegate == nil else { throw StreamDriver.changed }
                try answered(response, driver)
            case .end:
                guard let bytes = buffer.whole, let response else { return .given }
                return .data(FetchedData(bytes, response))
            }
        }
    }

    private func makeJob() throws(DownloadError) -> StreamJob {
        let request = originalRequest
        let checked = try CheckedRequest(request.url, settings)
        return StreamJob(request, checked, seed: engine.seeds.next())
    }

    private func answered(
        _ response: DownloadResponse,
        _ driver: StreamDriver
    ) throws(DownloadError) {
        let now = engine.time.now()
        current.withLock { run in
            run.response = response
            run.rate.record(totalBytes: 0, at: now)
        }
        report()
        guard buffer.collects, let length = driver.announcedBytes, length > limit else {
            return
        }
        throw StreamDriver.tooLarge("\(length) bytes", limit: limit)
    }

    /// Waits until the buffer has room.
    ///
    /// Throws `unread` if nobody has asked for the body within the stall timeout.
    private func waitForRoom(_ slot: RunSlot) async throws(DownloadError) {
        guard buffer.isFull else { return }
        // The reader may be waiting for a task that has not started.
        slot.release()
        let (buffer, timeout) = (
            buffer, settings.stallTimeout
        )
        let alarm = engine.alarms.enroll { buffer.wakeWriter() }
        defer { engine.alarms.resign(alarm) }
        var deadline: Moment?
        while buffer.isFull, !control.isStopped {
            let now = engine.time.now()
            let isAwaited = buffer.isUndecided && !control.isSuspended
            deadline = isAwaited ? deadline ?? now + timeout : nil
            if let deadline, now >= deadline { throw DataTaskBuffer.unread }
            engine.alarms.set(alarm, at: deadline ?? .distantFuture)
            await buffer.waitForRoom()
        }
    }

    /// Waits until the delegate has received the bytes.
    ///
    /// Returns `false` if there is none.
    private func deliver(_ bytes: [UInt8]) async -> Bool {
        guard session.delegate != nil, !isAwaitedAtOnce else { return false }
        session.runner.post(.received(self, bytes))
        await delivered.waitIgnoringCancellation()
        return true
    }
}

extension TaskProduct {
    fileprivate var data: Result<FetchedData, DownloadError> {
        guard case .data(let data) = self else { return .failure(DataTaskBuffer.taken) }
        return .success(data)
    }
}
