public import PawlCore
internal import Glibc
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

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
        var resume: ResumeOrder?
        /// The library's key, which is recorded with the file.
        var storageKey: String?
        /// The only existing file that the download may replace.
        var replaces: FileStamp?
    }

    let destination: TaskDestination
    /// The data to resume from; `nil` looks for files of an earlier run.
    let resumeOrder: ResumeOrder?
    let storageKey: String?
    let replaces: FileStamp?
    let monitor: DownloadMonitor
    /// The limit for all runs.
    let limit: RateLimitClock
    private let group = Mutex<RateLimitClock?>(nil)
    private let announcement = Mutex<FinishAnnouncement?>(nil)
    private let jar = Mutex<CookieJar?>(nil)
    private let owners = Mutex<PartialFileQuestion?>(nil)
    /// The control of the queued or running run.
    private let control = Mutex(DownloadControl())
    /// The path of an unfinished temporary file, which all runs share.
    let temporaryPath = Mutex<String?>(nil)

    private enum Claim {
        case open
        /// Somebody awaits its file, or has awaited it.
        case awaited
        case removed
    }

    /// The owner of a finished temporary file.
    private let claim = Mutex(Claim.open)

    init(
        _ request: DownloadRequest,
        _ target: Target,
        at place: Place,
        completionHandler: DownloadCompletionHandler?
    ) {
        destination = target.destination
        resumeOrder = target.resume
        storageKey = target.storageKey ?? target.resume?.data.storageKey
        replaces = target.replaces
        monitor = place.makeMonitor()
        let settings = request.settings(in: place.session.configuration)
        limit = RateLimitClock(limitBytesPerSecond: settings.limitBytesPerSecond)
        super.init(
            request,
            at: place,
            completionHandler: completionHandler.map { handler -> CompletionHandler in
                { (result: Result<TaskProduct, DownloadError>) in handler(result.flatMap(\.file)) }
            }
        )
    }

    deinit { removeTemporaryFile() }

    /// Removes the finished file if it is temporary and nobody awaited it: either nobody can
    /// request it any more, or the completion handler, which could have moved it, has returned.
    func removeTemporaryFile() {
        guard isTemporary, case .success(let file)? = fileOutcome else { return }
        let isUnclaimed = claim.withLock { claim in
            defer { if claim == .open { claim = .removed } }
            return claim == .open
        }
        guard isUnclaimed else { return }
        let path = file.path
        // Removing a large file takes a while.
        engine.disk.start { _ in unlink(path) }
    }

    /// Records that a finished temporary file belongs to somebody else from now on.
    func disown() { claim.withLock { if $0 == .open { $0 = .awaited } } }

    /// The server's response; `nil` until the server has responded.
    public override var response: DownloadResponse? { monitor.response }

    package var segmentMap: SegmentMap { monitor.segmentMap }

    /// The number of bytes received over its connections, including bytes discarded later.
    ///
    /// It never falls.
    package var receivedBytes: Int64 { monitor.receivedBytes }

    /// The number of bytes of an earlier run that this one continues; `nil` before the server has
    /// agreed, and if there are none.
    package var continuedBytes: Int64? {
        let count = monitor.progress.resumedBytes
        return monitor.hasAgreed && count > 0 ? count : nil
    }

    /// The number of times that the task has started over because the file had changed on the
    /// server.
    package var restartCount: Int { monitor.restarts.count }

    /// The measurements of the task so far.
    public override var metrics: TaskMetrics { monitor.metrics }

    /// The finished file, as soon as it is complete.
    ///
    /// Reading this does not start the task; `resume()` does. Cancelling the task of the last
    /// caller that awaits it pauses the download and keeps the bytes received so far; `resume()`
    /// continues.
    ///
    /// - Throws: `DownloadError`.
    public var file: DownloadedFile {
        get async throws(DownloadError) {
            disown()
            let (outcome, wasLast) = await waitForOutcome(else: .pauseAsked)
            if let outcome { return try outcome.flatMap(\.file).get() }
            throw DownloadError(
                .interrupted,
                "the wait was cancelled",
                advice: wasLast ? "resume the task to continue" : ""
            )
        }
    }

    /// The outcome; `nil` if the task has not ended.
    var fileOutcome: Result<DownloadedFile, DownloadError>? {
        shared.withLock { $0.outcome }.map { $0.flatMap(\.file) }
    }

    /// Whether its file is a temporary file of the session.
    var isTemporary: Bool { if case .temporary = destination { true } else { false } }

    /// The maximum speed of the task in bytes per second, in addition to the limit of its session;
    /// `nil` means no limit.
    ///
    /// It is initially that of its settings and can be changed at any time.
    public var limitBytesPerSecond: Int64? {
        get { limit.limitBytesPerSecond }
        set {
            limit.setLimit(bytesPerSecond: newValue, now: engine.time.now())
            currentControl.limitChanged()
            wasChanged()
        }
    }

    /// A limit shared with some other tasks of its session, beside its own and the session's.
    ///
    /// A running run keeps the limit with which it began.
    package var groupLimit: RateLimitClock? {
        get { group.withLock { $0 } }
        set { group.withLock { $0 = newValue } }
    }

    /// The cookies of its runs; `nil` takes those of its session.
    ///
    /// A running run keeps the cookies with which it began.
    package var cookies: CookieJar? {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    /// A closure that returns the owner of partial files found by its runs; `nil` if no queue keeps
    /// track of owners.
    package var ownerOfPartialFile: PartialFileQuestion? {
        get { owners.withLock { $0 } }
        set { owners.withLock { $0 = newValue } }
    }

    /// A closure that is called before the complete file gets its name, by runs that begin after it
    /// was set.
    package var willFinish: FinishAnnouncement? {
        get { announcement.withLock { $0 } }
        set { announcement.withLock { $0 = newValue } }
    }

    /// Changes the limit that it shares with others, for which the same must be done.
    package func setGroupLimit(bytesPerSecond limit: Int64?) {
        groupLimit?.setLimit(bytesPerSecond: limit, now: engine.time.now())
        currentControl.limitChanged()
    }

    /// Ends the connections and keeps the bytes received so far; `resume()` continues.
    public func pause() { handle(.pauseAsked) }

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
    /// While the task runs, the data describe its last checkpoint, which is at most one second old.
    /// After it has ended without the file, they describe all bytes that were kept. The value is
    /// `nil` if the download cannot be resumed; `resumability` contains the reason.
    ///
    /// Store the data from time to time if the download must survive the end of the process: nothing
    /// else knows the partial file of a task with a temporary file. For a task of a background
    /// session, which continues without the process, the value is `nil` until the task was
    /// cancelled by producing resume data.
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
        if isTemporary, error != nil {
            await withCheckedContinuation { continuation in discard { continuation.resume() } }
        }
        return nil
    }

    /// The data that it was created with, until one of its runs has read them.
    var untouchedData: ResumeData? { monitor.paths == nil ? resumeOrder?.data : nil }

    var isGET: Bool { originalRequest.method == "GET" && originalRequest.body.isEmpty }

    // MARK: - For its lifecycle

    var currentControl: DownloadControl { control.withLock { $0 } }

    override func renewControl() {
        control.withLock { $0 = DownloadControl() }
        monitor.renewed()
    }

    override func hold() { currentControl.suspend() }

    override func release() { currentControl.resume() }

    override func stop(keeping: Bool) { currentControl.stop(keeping: keeping) }

    override func work(_ place: StartPlace) async throws(DownloadError) -> TaskProduct {
        try await download(place)
    }

    override func tell(_ told: inout Told, isLast: Bool) { tellBytes(&told, isLast: isLast) }

    override func settled(_ outcome: Result<TaskProduct, DownloadError>) {
        if case .success(.file(let file)) = outcome { session.post(.finished(self, file)) }
    }

    override var ownProgress: DownloadProgress {
        var progress = monitor.progress
        if let data = resumeOrder?.data, progress.hasNotFound, monitor.paths == nil {
            // The given data count until they were read.
            progress.completedBytes = data.receivedBytes
            progress.resumedBytes = data.receivedBytes
            progress.totalBytes = progress.totalBytes ?? data.totalBytes
        }
        // The temporary file's own name means nothing to anybody.
        if isTemporary { progress.name = suggestedName }
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
        guard let paths = monitor.paths else { return done() }
        let (engine, files, note) = (engine, session.temporaryFiles, noteName)
        engine.disk.start { _ in
            Leftover.discard(paths, engine)
            if let note { files.release(note) }
            done()
        }
    }

    /// The name by which an ephemeral session records the partial file; `nil` in other sessions.
    var noteName: String? {
        session.configuration.kind == .ephemeral ? "\(taskIdentifier)" : nil
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

extension SessionTask.Place {
    /// Creates the monitor.
    ///
    /// Files left by an ephemeral session's task are marked to be removed with the session.
    fileprivate func makeMonitor() -> DownloadMonitor {
        let (time, files, name) = (session.engine.time, session.temporaryFiles, "\(number)")
        guard session.configuration.kind == .ephemeral else { return DownloadMonitor(time: time) }
        return DownloadMonitor(time: time) { store in files.adopt(store, as: name) }
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
