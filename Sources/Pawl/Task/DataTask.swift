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
/// fails. With a delegate, request the body before that many bytes have been received.
///
/// A data task cannot be resumed: if the connection breaks after the first bytes were seen, the
/// task ends.
public final class DataTask: SessionTask, @unchecked Sendable {
    struct Own {
        /// The control of the queued or running run.
        var control = StreamControl()
        var response: DownloadResponse?
        var rate = RateEstimator()
        /// The place of the running run.
        var place: StartPlace?
    }

    let limit: Int64
    let funnel: DataFunnel
    /// Whether the task was created and awaited in one call: it needs no turn, and nobody else gets
    /// its bytes.
    let isAwaitedAtOnce: Bool
    let own = Mutex(Own())
    /// Wakes the run when the delegate has received a piece.
    let told = Wakeup()

    init(
        _ request: DownloadRequest,
        limit: Int64,
        at place: Place,
        isAwaitedAtOnce: Bool = false,
        completionHandler: DataCompletionHandler? = nil
    ) {
        self.limit = limit
        self.isAwaitedAtOnce = isAwaitedAtOnce
        let isCollected = isAwaitedAtOnce || completionHandler != nil
        funnel = DataFunnel(isCollected ? .collected : .undecided, limit: limit)
        super.init(
            request,
            at: place,
            completionHandler: completionHandler.map { handler -> CompletionHandler in
                { (result: Result<TaskProduct, DownloadError>) in handler(result.flatMap(\.data)) }
            }
        )
    }

    /// The server's response; `nil` until the server has responded.
    public override var response: DownloadResponse? { own.withLock { $0.response } }

    /// The measurements of the task so far.
    public override var metrics: TaskMetrics { control.driver?.metrics ?? TaskMetrics() }

    /// The whole body in memory, as soon as it is complete.
    ///
    /// Reading this does not start the task; `resume()` does. Cancelling the task of the last
    /// caller that awaits it cancels this task.
    ///
    /// - Throws: `DownloadError`, with the code `.tooLarge` if the body is larger than the task's
    ///   limit, or `.usage` if it is read in pieces.
    public var data: FetchedData {
        get async throws(DownloadError) {
            do throws(DownloadError) {
                try funnel.claim(.collected)
            } catch {
                // A failed task has a better reason.
                throw self.error ?? error
            }
            var outcome = await waitForOutcome(else: .cancelAsked(keeping: false)).outcome
            if outcome == nil {
                await end.waitIgnoringCancellation()
                outcome = shared.withLock { $0.outcome }
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

    /// Passes each piece of the body to a closure, and fetches at most one buffer ahead meanwhile.
    ///
    /// - Throws: `DownloadError`, or the closure's error, which cancels the task.
    public func stream(to sink: @Sendable ([UInt8]) async throws -> Void) async throws {
        for try await chunk in bytes { try await sink(chunk) }
    }

    // MARK: - For its lifecycle

    var control: StreamControl { own.withLock { $0.control } }

    override func renewControl() { own.withLock { $0.control = StreamControl() } }

    override var takesPlace: Bool { !isAwaitedAtOnce }

    override func hold() {
        control.suspend()
        funnel.nudge()
        // The task may be held for ever.
        own.withLock { $0.place }?.end()
    }

    override func release() {
        control.resume()
        funnel.nudge()
    }

    override func stop(keeping: Bool) {
        control.stop()
        funnel.nudge()
    }

    override func work(_ place: StartPlace) async throws(DownloadError) -> TaskProduct {
        own.withLock { $0.place = place }
        defer { own.withLock { $0.place = nil } }
        if state == .suspended { place.end() }
        return try await fetchConnected(place)
    }

    override func settled(_ outcome: Result<TaskProduct, DownloadError>) {
        funnel.end(outcome.map { _ in })
    }

    override var ownProgress: DownloadProgress { fetchProgress }
}

extension TaskProduct {
    fileprivate var data: Result<FetchedData, DownloadError> {
        guard case .data(let data) = self else { return .failure(DataFunnel.taken) }
        return .success(data)
    }
}
