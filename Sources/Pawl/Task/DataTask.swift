public import PawlCore
internal import PawlEngine
internal import Synchronization

/// Called once, when a data task has ended.
public typealias DataCompletionHandler = @Sendable (Result<FetchedData, DownloadError>) -> Void

/// One request of a session whose answer is wanted as data, and not as a file.
///
/// ```swift
/// let task = session.dataTask(with: url)
/// task.resume()
/// let release = try await task.data.json(Release.self)
/// ```
///
/// There are four ways to the body: `data` or the completion handler for all of it at once, up to a
/// limit; `bytes` or `stream(to:)` for pieces, as they come; and the delegate, which gets pieces
/// besides any of these. What nobody has asked for waits: 256 KiB of it come, and then no more, unless
/// there is a delegate; after the settings' `stallTimeout` the task fails. Where there is a delegate,
/// ask before that much came.
///
/// What a data task has brought cannot be gone on with: a connection that breaks after its first
/// bytes were seen ends it.
public final class DataTask: SessionTask, @unchecked Sendable {
    struct Own {
        /// Of the run that is in line or going.
        var control = StreamControl()
        var response: DownloadResponse?
        var rate = RateEstimator()
        /// Of the run that is going.
        var place: StartPlace?
    }

    let limit: Int64
    let funnel: DataFunnel
    /// Made and awaited in one call: it needs no turn, and its bytes are nobody else's.
    let isAwaitedAtOnce: Bool
    let own = Mutex(Own())
    /// Rings when the delegate has been told of a piece.
    let told = Mailbox<Never>()

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
            completionHandler: completionHandler.map { handler -> Completion in
                { (result: Result<TaskProduct, DownloadError>) in handler(result.flatMap(\.data)) }
            }
        )
    }

    /// What the server said; nil before it has answered.
    public override var response: DownloadResponse? { own.withLock { $0.response } }

    /// What the task has taken so far.
    public override var metrics: TaskMetrics { control.driver?.metrics ?? TaskMetrics() }

    /// The whole body in memory, as soon as it is there.
    ///
    /// It does not begin the task: that is what `resume()` is for. Cancelling the task that awaits
    /// it, where no other one does, cancels this one.
    ///
    /// - Throws: `DownloadError`; with the code `.tooLarge` where there is more than the task's limit,
    ///   and `.usage` where the body is read in pieces.
    public var data: FetchedData {
        get async throws(DownloadError) {
            do throws(DownloadError) {
                try funnel.claim(.collected)
            } catch {
                // One that failed has a better reason.
                throw self.error ?? error
            }
            var outcome = await waitForOutcome(else: .cancelAsked(keeping: false)).outcome
            if outcome == nil {
                await end.waitInAnyCase()
                outcome = shared.withLock { $0.outcome }
            }
            let data = try (outcome ?? .success(.given)).flatMap(\.data).get()
            guard Int64(data.bytes.count) <= limit else {
                throw StreamDriver.tooLarge("\(data.bytes.count) bytes", limit: limit)
            }
            return data
        }
    }

    /// The body in pieces, as they come, with back-pressure.
    ///
    /// It does not begin the task: that is what `resume()` is for. Cancelling the task that reads it
    /// cancels this one.
    public var bytes: TaskBytes { TaskBytes(task: self) }

    /// Hands each piece of the body to a closure, and fetches no more than a bufferful meanwhile.
    ///
    /// - Throws: `DownloadError`, or what the closure throws, which cancels the task.
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
        // It may be held for ever.
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
