public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// A handler that is called once, when a task has ended.
public typealias DownloadCompletionHandler =
    @Sendable (Result<DownloadedFile, DownloadError>) -> Void

/// A download of a session to a file, which can be paused, and resumed by another process.
///
/// ```swift
/// let task = session.downloadTask(with: url, to: .file(folder + "/copy.iso"))
/// task.resume()
/// for await progress in task.progress {
///     print(progress.fraction ?? 0, progress.bytesPerSecond)
/// }
/// let file = try await task.file
/// ```
public class DownloadTask: SessionTask, @unchecked Sendable {
    /// The destination, and the data to begin with.
    struct Target: Sendable {
        var destination: TaskDestination
        var resume: ResumeRequest?
        /// The library's key, which is recorded with the file.
        var storageKey: String?
        /// The only existing file that the download may replace.
        var replaces: FileStamp?
        /// Takes the bytes instead of a file; the destination is then a temporary file.
        var output: OrderedOutput?
        /// Returns the folder into which the caller moves the finished file.
        var moveFolder: MoveFolder?
        /// The object that the bytes become instead of a file; the destination is then not used.
        var object: ObjectDestination?
    }

    /// The values with which the next run begins; a running run keeps its own.
    package struct NextRun: Sendable {
        /// The control of the queued or running run.
        fileprivate var control = DownloadControl()
        /// The limits shared with some other tasks of its session, beside its own and the session's;
        /// `nil` if there are never any.
        package var groupLimits: GroupLimits?
        /// The cookies; `nil` takes those of the session.
        package var cookies: CookieJar?
        /// Returns the owner of partial files that are found; `nil` if no queue keeps track of
        /// owners.
        package var ownerOfPartialFile: PartialFileQuestion?
        /// Called before the complete file gets its name.
        package var willFinish: FinishAnnouncement?
    }

    /// The data to resume from; `nil` looks for files of an earlier run.
    let resumeRequest: ResumeRequest?
    /// The file that the task creates.
    let target: TaskFile
    /// The limit for all runs.
    let limit: RateLimitClock
    let storageKey: String?
    let replaces: FileStamp?
    private let moveFolder: MoveFolder?
    private let monitor: DownloadMonitor
    private let nextRun = Mutex(NextRun())
    private let lastFailure = Mutex<DownloadError?>(nil)

    init(
        _ request: DownloadRequest,
        _ target: Target,
        at membership: Membership,
        completionHandler: DownloadCompletionHandler?
    ) {
        self.target = TaskFile(target, at: membership)
        resumeRequest = target.resume
        storageKey = target.storageKey ?? target.resume?.data.storageKey
        replaces = target.replaces
        moveFolder = target.moveFolder
        monitor = self.target.makeMonitor()
        let settings = request.settings(in: membership.session.configuration)
        limit = RateLimitClock(limitBytesPerSecond: settings.limitBytesPerSecond)
        super.init(
            request,
            settings,
            at: membership,
            completionHandler: completionHandler.map { handler -> CompletionHandler in
                { (result: Result<TaskProduct, DownloadError>) in handler(result.flatMap(\.file)) }
            }
        )
    }

    deinit { removeTemporaryFile() }

    /// Removes the finished file if it is temporary and nobody awaited it: either nobody can
    /// request it any more, or the completion handler, which could have moved it, has returned.
    func removeTemporaryFile() {
        if case .success(let file)? = fileOutcome { target.removeUnlessHandedOver(file) }
    }

    /// The head of the last good response; `nil` before the first one.
    ///
    /// In contrast to ``response``, nothing is derived from its fields.
    var responseHead: ResponseHead? { monitor.responseHead }

    /// The server's response; `nil` until the server has responded.
    public override var response: DownloadResponse? {
        monitor.response ?? lastFailure.withLock { $0?.errorResponse?.response }
    }

    package var segmentMap: SegmentMap { monitor.segmentMap }

    /// The path of the finished file, once it is known.
    ///
    /// The partial file is found again by this name.
    ///
    /// If another file has the partial file's name, its number differs from that of the finished
    /// file.
    package var targetPath: String? { monitor.paths?.base.string }

    /// The path at which a user finds the finished file, once it is known.
    ///
    /// That of a temporary file is known when the task has finished.
    package var shownPath: String? {
        if case .success(let file)? = fileOutcome { return file.path }
        return target.isTemporary ? nil : targetPath
    }

    /// Whether the bytes become an object.
    package var isForObject: Bool { target.isObject }

    /// Whether a file of this task was found in another folder than the task's own, because an
    /// earlier run has moved it there.
    package func isMoved(_ file: DownloadedFile) -> Bool {
        guard file.wasAlreadyThere, moveFolder != nil, let destination = target.plainDestination
        else { return false }
        let folder =
            switch destination {
            case .file(let path): FilePath(path).removingLastComponent()
            case .directory(let path): FilePath(path)
            case .object: FilePath("")
            }
        return FilePath(file.path).removingLastComponent() != folder
    }

    /// The partial file, once it exists.
    package var partialFile: WrittenFile? { monitor.partialFile }

    /// Waits until the task has ended, even if the waiting task was cancelled.
    package func waitForEndIgnoringCancellation() async { await end.waitIgnoringCancellation() }

    /// Waits until the daemon has the download, which then continues without this process.
    ///
    /// Call it after `resume()` and before the process exits. It also returns if the task ends
    /// first (``SessionTask/error`` is the reason), if the task is paused, or if the Swift task
    /// that waits is cancelled. It returns immediately if the session is not a background session.
    ///
    /// - Returns: Whether the daemon has the download, or has already finished it.
    @discardableResult
    public func waitForHandover() async -> Bool { false }

    /// Does the same, except that it also waits if the waiting task was cancelled.
    package func waitForHandoverIgnoringCancellation() async {}

    /// The number of bytes received over its connections, including bytes discarded later.
    ///
    /// It never falls.
    package var receivedBytes: Int64 { monitor.receivedBytes }

    /// Values of a running download that belong to the same moment.
    package struct RunReading: Sendable {
        package var progress: DownloadProgress
        /// The number of bytes of an earlier run that this one continues; `nil` before the server
        /// has agreed, and if there are none.
        package var continuedBytes: Int64?
        /// The number of times that the download has started over.
        package var restarts: Int
        /// Why it has started over the last time; `nil` if it has not.
        package var restartReason: DownloadRestart.Reason?
        fileprivate var isStartingOver: Bool
        fileprivate var hasAgreed: Bool

        /// Whether the bytes present may still be discarded (``DownloadMonitor/Snapshot``).
        package var isUnconfirmed: Bool {
            DownloadMonitor.Snapshot.isUnconfirmed(
                progress,
                hasAgreed: hasAgreed,
                isStartingOver: isStartingOver
            )
        }
    }

    package var runReading: RunReading {
        // First, because the given data may be read before the progress is.
        let hasPaths = monitor.paths != nil
        let snapshot = monitor.snapshot
        return RunReading(
            progress: shown(withGivenData(snapshot.progress, hasPaths: hasPaths)),
            continuedBytes: snapshot.continuedBytes,
            restarts: snapshot.restarts.count,
            restartReason: snapshot.restarts.last?.reason,
            isStartingOver: snapshot.isStartingOver,
            hasAgreed: snapshot.hasAgreed
        )
    }

    /// The measurements of the task so far.
    public override var metrics: TaskMetrics { monitor.metrics }

    /// The finished file, as soon as it is complete.
    ///
    /// Reading this does not start the download; `resume()` does. If the last Swift task that
    /// awaits it is cancelled, the download is paused and keeps the bytes received so far;
    /// `resume()` continues it. While the task is suspended or paused, callers wait.
    ///
    /// It may return before the delegate's last call for the task and before the completion
    /// handler: to wait for these, read ``SessionTask/events`` to the end.
    ///
    /// - Throws: `DownloadError`.
    public var file: DownloadedFile {
        get async throws(DownloadError) { withResponse(try await awaitFile()) }
    }

    /// Does the same as ``file``, but returns the file without its response.
    func awaitFile() async throws(DownloadError) -> DownloadedFile {
        target.handOver()
        let (outcome, wasLast) = await waitForOutcome(else: .pauseAsked)
        if let outcome { return try outcome.flatMap(\.file).get() }
        throw DownloadError(
            .interrupted,
            "the wait was cancelled",
            advice: wasLast ? "resume the task to continue" : ""
        )
    }

    /// Returns the finished file with the response; without one if no request has succeeded.
    ///
    /// Only whoever receives the file needs it, so it is not made for each small file.
    func withResponse(_ file: DownloadedFile) -> DownloadedFile {
        var file = file
        file.response = monitor.response
        return file
    }

    /// The outcome; `nil` if the task has not ended.
    package var fileOutcome: Result<DownloadedFile, DownloadError>? {
        outcome.map { $0.flatMap(\.file) }
    }

    /// The error with which the last run was interrupted, if one was.
    package var interruption: DownloadError? {
        lastFailure.withLock { $0?.code == .interrupted ? $0 : nil }
    }

    /// The maximum speed of the task in bytes per second, in addition to the limit of its session;
    /// `nil` means no limit.
    ///
    /// It is initially that of its settings and can be changed at any time.
    public var limitBytesPerSecond: Int64? {
        get { limit.limitBytesPerSecond }
        set {
            limit.setLimit(bytesPerSecond: newValue, now: engine.time.now())
            control.limitChanged()
            wasChanged()
        }
    }

    /// Changes the values with which the next run begins.
    package func configure(_ change: (inout NextRun) -> Void) {
        nextRun.withLock { change(&$0) }
    }

    /// Changes a limit that it shares with others, for which the same must be done.
    package func setLimit(bytesPerSecond limit: Int64?, of clock: RateLimitClock) {
        clock.setLimit(bytesPerSecond: limit, now: engine.time.now())
        control.limitChanged()
    }

    /// Replaces the limits that it shares with others, including those of the current run.
    package func setGroupLimits(_ clocks: [RateLimitClock]) {
        let limits = nextRun.withLock { next in
            let limits = next.groupLimits ?? GroupLimits()
            next.groupLimits = limits
            return limits
        }
        limits.clocks = clocks
        control.limitChanged()
    }

    /// Handles a change of the limit that all tasks of the session share.
    func sessionLimitChanged() { control.limitChanged() }

    /// Ends the connections and keeps the bytes received so far; `resume()` continues.
    ///
    /// It returns when the checkpoint lists those bytes, so that not even `kill -9` loses them. For
    /// a task of a background session, it returns when the daemon has received the request, or
    /// cannot be reached.
    ///
    /// The task does not end: callers that await ``file`` continue to wait. To end it with resume
    /// data, use
    /// `cancelByProducingResumeData()`.
    public func pause() async {
        askToPause()
        await waitForRunEnd()
    }

    /// Pauses the task without waiting.
    package func askToPause() { handle(.pauseAsked) }

    /// Whether the download could be resumed if it were cancelled now, and if not, why.
    public var resumability: Resumability {
        if !isGET { return .notResumable(.notGET) }
        let known = monitor.resumability
        guard known == .notResumable(.nothingReceived), let data = untouchedData else {
            return known
        }
        return .resumable(from: data.receivedBytes)
    }

    /// The data with which the download can be resumed later.
    ///
    /// While the task runs, the data describes its last checkpoint, which is at most one second
    /// old. After the task has ended without the file, the data describes all bytes that were kept.
    /// The value is
    /// `nil` if the download cannot be resumed; `resumability` contains the reason.
    ///
    /// Store the data from time to time if the download must survive the end of the process:
    /// nothing else knows the partial file of a task with a temporary file. For a task of a
    /// background session, which continues without the process, the value is `nil` until the task
    /// was cancelled by producing resume data.
    public var resumeData: ResumeData? {
        guard isGET else { return nil }
        return monitor.resumeData ?? untouchedData
    }

    /// Ends the task, keeps the bytes received so far, and returns the data to resume from.
    ///
    /// If this returns `nil`, the bytes of a temporary file are removed, because nobody could
    /// resume from them.
    ///
    /// - Returns: The data; `nil` if the file is complete, or the download cannot be resumed:
    ///   `resumability` and the task's `error?.resumeObstacle` contain the reason.
    public func cancelByProducingResumeData() async -> ResumeData? {
        end(keeping: true)
        await end.waitIgnoringCancellation()
        // The file may have been complete before the cancellation.
        if let data = error?.resumeData { return data }
        if target.isTemporary, error != nil {
            await withCheckedContinuation { continuation in discard { continuation.resume() } }
        }
        return nil
    }

    /// The data that it was created with, until one of its runs has read them.
    private var untouchedData: ResumeData? { monitor.paths == nil ? resumeRequest?.data : nil }

    private var isGET: Bool { settings.asksForFile }

    // MARK: - For its lifecycle

    private var control: DownloadControl { nextRun.withLock { $0.control } }

    override func renewControl() {
        nextRun.withLock { $0.control = DownloadControl() }
        monitor.renewed()
    }

    override func hold() { control.suspend() }

    override func release() { control.resume() }

    override func stop(keeping: Bool) { control.stop(keeping: keeping) }

    override func enterLane(_ slot: RunSlot) -> Bool {
        // `work` throws the error of a job that cannot be made.
        guard let destination = target.plainDestination, let job = try? makeJob(slot, destination)
        else { return false }
        let download = LaneDownload.begin(job, engine: engine, monitor: monitor) {
            slot.releaseBeforeNaming()
        } whenEnded: { end in
            switch end {
            case .finished(let file): self.endRun(slot, .success(.file(file)))
            case .left(let handover):
                self.session.runner.needsTask(TaskRun(task: self, slot: slot, handover: handover))
            }
        }
        return download != nil
    }

    override func work(
        _ slot: RunSlot,
        after handover: Handover?
    ) async throws(DownloadError) -> TaskProduct {
        defer { target.releaseRecord() }
        do throws(DownloadError) {
            let file = try await driver(slot, after: handover).run()
            // Such a file was not announced.
            if file.wasAlreadyThere { try await waitForDecision() }
            return .file(try await target.take(file))
        } catch {
            let error = completed(error)
            let isInterrupted = error.code == .interrupted
            monitor.ended(isInterrupted ? .waiting : .failed)
            lastFailure.withLock { $0 = error }
            throw error
        }
    }

    /// Returns the error.
    ///
    /// If it occurred before the resume data was read, the data stays as it is.
    private func completed(_ error: DownloadError) -> DownloadError {
        var error = error
        guard isGET else {
            (error.resumeData, error.resumeObstacle) = (nil, .notGET)
            return error
        }
        if error.resumeObstacle == .nothingReceived, let data = untouchedData {
            error.resumeData = data
            error.resumeObstacle = nil
        }
        return error
    }

    private func driver(
        _ slot: RunSlot,
        after handover: Handover?
    ) async throws(DownloadError) -> DownloadDriver {
        if let handover { return DownloadDriver(handover) { slot.releaseBeforeNaming() } }
        let job = try makeJob(slot, try await target.destination(of: resumeRequest?.data))
        return DownloadDriver(job, engine: engine, monitor: monitor) { slot.releaseBeforeNaming() }
    }

    private func makeJob(
        _ slot: RunSlot,
        _ destination: Destination
    ) throws(DownloadError) -> DownloadJob {
        try settings.checkRequest()
        let request = try CheckedRequest(
            originalRequest.url,
            settings
        )
        var job = DownloadJob(
            url: request.url,
            mirrors: request.mirrors,
            destination: destination,
            settings: request.settings,
            seed: engine.seeds.next()
        )
        job.resume = currentResume
        job.isTemporary = target.isTemporary
        job.storageKey = storageKey
        job.replaces = replaces
        job.choosesDestination = target.choice
        job.moveFolder = moveFolder
        job.output = target.output
        job.target = try target.objectDestination(of: request.url, settings).map {
            (object) throws(DownloadError) in
            try object.target(request.settings, of: request.url, in: engine)
        }
        job.limit = limit
        nextRun.withLock { next in
            job.control = next.control
            job.groupLimits = next.groupLimits
            job.cookies = next.cookies
            job.ownerOfPartialFile = next.ownerOfPartialFile
            job.willFinish = next.willFinish
        }
        if session.delegateDecides {
            let willFinish = job.willFinish
            job.willFinish = { [weak self] (file) async throws(DownloadError) in
                try await self?.waitForDecision()
                try await willFinish?(file)
            }
        }
        job.connectivityChanged = { [weak self] isWaiting in
            self?.connectivityChanged(isWaiting, slot)
        }
        return job
    }

    /// The data with which this run begins: the first with the given data, a later one with what
    /// the previous run left, which is at another path and more.
    private var currentResume: ResumeRequest? {
        guard let given = resumeRequest, let paths = monitor.paths else { return resumeRequest }
        guard let data = monitor.resumeData else {
            return ResumeRequest(
                given.data,
                partialPath: paths.partial.string,
                fallback: given.fallback
            )
        }
        return ResumeRequest(data, fallback: given.fallback)
    }

    override func newEvents(_ reports: inout TaskReports, isLast: Bool) -> [Delivery] {
        received.map { reports.newEvents(of: self, $0, isLast: isLast) } ?? []
    }

    /// What is reported; `nil` if the file existed before.
    var received: TaskReports.Received? {
        guard !monitor.wasThere else { return nil }
        let snapshot = monitor.snapshot
        let (restarts, progress) = (snapshot.restarts, snapshot.progress)
        return TaskReports.Received(
            progress: progress,
            restarts: restarts.count,
            restartReason: restarts.last?.reason ?? .fileChanged,
            discardedBytes: restarts.last?.discardedBytes,
            offset: progress.resumedBytes,
            isUnconfirmed: snapshot.isUnconfirmed
        )
    }

    override func settled(_ outcome: Result<TaskProduct, DownloadError>) {
        guard case .success(.file(let file)) = outcome else { return }
        // Whoever reads the file from an event owns it, as after `file`.
        if feeds != nil { target.handOver() }
        if session.delegate != nil {
            session.runner.post(.finished(self, withResponse(file)))
        }
    }

    override func reported(_ outcome: Result<TaskProduct, DownloadError>)
        -> Result<TaskProduct, DownloadError>
    {
        guard case .success(.file(let file)) = outcome else { return outcome }
        return .success(.file(withResponse(file)))
    }

    override var ownProgress: DownloadProgress {
        let hasPaths = monitor.paths != nil
        return withGivenData(monitor.progress, hasPaths: hasPaths)
    }

    /// Returns the progress with what the monitor does not know.
    ///
    /// `hasPaths`: whether the files were known before the progress was read.
    private func withGivenData(_ progress: DownloadProgress, hasPaths: Bool) -> DownloadProgress {
        var progress = progress
        if let data = resumeRequest?.data, progress.hasNotFound, !hasPaths {
            // The given data count until they were read.
            progress.completedBytes = data.receivedBytes
            progress.resumedBytes = data.receivedBytes
            progress.totalBytes = progress.totalBytes ?? data.totalBytes
        }
        // The temporary file's own name means nothing to anybody.
        if target.isTemporary { progress.name = suggestedName }
        return progress
    }

    private var suggestedName: String {
        response?.suggestedFilename
            ?? FileName.suggested(
                contentDisposition: nil,
                url: originalRequest.url,
                mediaType: nil
            )
    }

    override var suspensionLimit: Duration? { session.configuration.suspensionLimit }

    override func discard(_ done: @escaping @Sendable () -> Void) {
        // An object that is not valid has no upload.
        if let object = try? target.objectDestination(of: originalRequest.url, settings) {
            return object.discard(in: engine, done)
        }
        guard let paths = monitor.paths else { return done() }
        target.discard(paths, done)
    }

    override func wasCancelled() { monitor.ended() }

    override func cancelled(isKept: Bool) -> DownloadError {
        var error = super.cancelled(isKept: isKept)
        guard isKept else { return error }
        error.resumeData = monitor.resumeData ?? untouchedData
        if error.resumeData == nil { error.resumeObstacle = resumability.obstacle }
        return error
    }
}

extension DownloadProgress {
    /// Whether no file has been found yet.
    fileprivate var hasNotFound: Bool {
        switch phase {
        case .waiting, .connecting, .retrying, .waitingForConnectivity: true
        case .receiving, .verifying, .finished, .failed: false
        }
    }
}

extension TaskProduct {
    fileprivate var file: Result<DownloadedFile, DownloadError> {
        guard case .file(let file) = self else {
            return .failure(DownloadError(.unknown, "the download ended without a file"))
        }
        return .success(file)
    }
}
