public import PawlCore
internal import Glibc
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// Called once, when a task has ended.
public typealias DownloadCompletionHandler =
    @Sendable (Result<DownloadedFile, DownloadError>) -> Void

/// One download of a session to a file: can be paused, and gone on with by another process.
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
    /// Where to, and with what to begin.
    struct Target: Sendable {
        var destination: TaskDestination
        var resume: ResumeOrder?
        /// The library's key, noted with what comes.
        var storageKey: String?
        /// The only file that may be replaced where one may.
        var replaces: FileStamp?
    }

    let destination: TaskDestination
    /// What it begins with; nil looks for what is there.
    let resumeOrder: ResumeOrder?
    let storageKey: String?
    let replaces: FileStamp?
    let monitor: DownloadMonitor
    /// Over all runs.
    let limit: RateLimitClock
    private let group = Mutex<RateLimitClock?>(nil)
    private let announcement = Mutex<FinishAnnouncement?>(nil)
    private let jar = Mutex<CookieJar?>(nil)
    private let owners = Mutex<PartialFileQuestion?>(nil)
    /// Of the run that is in line or going.
    private let control = Mutex(DownloadControl())
    /// Where a file of the session's own is on its way: one place for all runs.
    let temporaryPath = Mutex<String?>(nil)

    private enum Claim {
        case open
        /// Somebody awaits its file, or did.
        case awaited
        case removed
    }

    /// Whose a finished file of the session's own is.
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
            completionHandler: completionHandler.map { handler -> Completion in
                { (result: Result<TaskProduct, DownloadError>) in handler(result.flatMap(\.file)) }
            }
        )
    }

    deinit { removeTemporaryFile() }

    /// Removes the finished file where it is the session's own, and nobody awaited it: nobody can ask
    /// for it any more, or the completion handler, which was to move it, has returned.
    func removeTemporaryFile() {
        guard isTemporary, case .success(let file)? = fileOutcome else { return }
        let isUnclaimed = claim.withLock { claim in
            defer { if claim == .open { claim = .removed } }
            return claim == .open
        }
        guard isUnclaimed else { return }
        let path = file.path
        // A large file takes a while to go.
        engine.disk.start { _ in unlink(path) }
    }

    /// A finished file of the session's own is somebody else's from now on.
    func disown() { claim.withLock { if $0 == .open { $0 = .awaited } } }

    /// What the server said; nil before it has answered.
    public override var response: DownloadResponse? { monitor.response }

    package var segmentMap: SegmentMap { monitor.segmentMap }

    /// What its connections have brought, also what was thrown away later: it never falls.
    package var receivedBytes: Int64 { monitor.receivedBytes }

    /// How many bytes of an earlier run this one continues; nil before the server has agreed, and where
    /// there are none.
    package var continuedBytes: Int64? {
        let count = monitor.progress.resumedBytes
        return monitor.hasAgreed && count > 0 ? count : nil
    }

    /// How often the task has started over, as the file had changed on the server.
    package var restartCount: Int { monitor.restarts.count }

    /// What the task has taken so far.
    public override var metrics: TaskMetrics { monitor.metrics }

    /// The finished file, as soon as it is there.
    ///
    /// It does not begin the task: that is what `resume()` is for. Cancelling the task that awaits
    /// it, where no other one does, pauses the download and keeps what came; `resume()` goes on.
    ///
    /// - Throws: `DownloadError`.
    public var file: DownloadedFile {
        get async throws(DownloadError) {
            disown()
            let (outcome, wasLast) = await waitForOutcome(else: .pauseAsked)
            if let outcome { return try outcome.flatMap(\.file).get() }
            throw DownloadError(
                .interrupted,
                "the waiting was cancelled",
                advice: wasLast ? "resume the task to go on" : ""
            )
        }
    }

    /// How it ended; nil where it has not.
    var fileOutcome: Result<DownloadedFile, DownloadError>? {
        shared.withLock { $0.outcome }.map { $0.flatMap(\.file) }
    }

    /// Whether its file is one of the session's own.
    var isTemporary: Bool { if case .temporary = destination { true } else { false } }

    /// The most that the task may bring, in bytes a second, beside the limit of its session; nil is no
    /// limit.
    ///
    /// At first as in its settings; it may be changed at any time.
    public var limitBytesPerSecond: Int64? {
        get { limit.limitBytesPerSecond }
        set {
            limit.setLimit(bytesPerSecond: newValue, now: engine.time.now())
            currentControl.limitChanged()
            wasChanged()
        }
    }

    /// A limit that it shares with some other tasks of its session, beside its own and the session's.
    ///
    /// A run that is going keeps the one that it began with.
    package var groupLimit: RateLimitClock? {
        get { group.withLock { $0 } }
        set { group.withLock { $0 = newValue } }
    }

    /// Where its runs keep the cookies that servers set; nil takes those of its session.
    ///
    /// A run that is going keeps the one that it began with.
    package var cookies: CookieJar? {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    /// Whose partial files are that its runs find; nil where no queue keeps account of them.
    package var ownerOfPartialFile: PartialFileQuestion? {
        get { owners.withLock { $0 } }
        set { owners.withLock { $0 = newValue } }
    }

    /// Called before the complete file gets its name, by the runs that begin after it was set.
    package var willFinish: FinishAnnouncement? {
        get { announcement.withLock { $0 } }
        set { announcement.withLock { $0 = newValue } }
    }

    /// Changes what it shares with others, who are to be told in the same way.
    package func setGroupLimit(bytesPerSecond limit: Int64?) {
        groupLimit?.setLimit(bytesPerSecond: limit, now: engine.time.now())
        currentControl.limitChanged()
    }

    /// Ends the connections and keeps what came; `resume()` goes on.
    public func pause() { handle(.pauseAsked) }

    /// Whether the download could be gone on with if it were cancelled now, and why not.
    public var resumability: Resumability {
        if !isGET { return .notResumable(.notGET) }
        let known = monitor.resumability
        guard known == .notResumable(.nothingReceived), let data = untouchedData else {
            return known
        }
        return .resumable(from: data.receivedBytes)
    }

    /// What to resume the download with later: while it runs as of the last checkpoint, which is at most
    /// a second old, and after an end without the file, of all that was kept.
    ///
    /// Store it from time to time if the download must survive the end of the process without loss:
    /// nothing else knows the partial file of a task whose file is the session's own. `nil` if there is
    /// nothing to resume with, as `resumability` explains; for a task of a background session, which
    /// outlives the process by itself, `nil` until it was cancelled by producing resume data.
    public var resumeData: ResumeData? {
        guard isGET else { return nil }
        return monitor.resumeData ?? untouchedData
    }

    /// Ends the task, keeps what came, and says with what to go on.
    ///
    /// What came of a file of the session's own is removed where this returns nil: nobody could go on
    /// with it.
    ///
    /// - Returns: Nil where the file is whole, or there is nothing to go on with: `resumability` and the task's
    ///   `error?.resumeObstacle` say why.
    public func cancelByProducingResumeData() async -> ResumeData? {
        end(keeping: true)
        await end.waitInAnyCase()
        // It may have been whole before it was cancelled.
        if let data = error?.resumeData { return data }
        if isTemporary, error != nil {
            await withCheckedContinuation { continuation in discard { continuation.resume() } }
        }
        return nil
    }

    /// What it was to go on with, as long as no run of it has had that in hand.
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
            // What it begins with counts until that was looked at.
            progress.completedBytes = data.receivedBytes
            progress.resumedBytes = data.receivedBytes
            progress.totalBytes = progress.totalBytes ?? data.totalBytes
        }
        // The name that it has meanwhile tells nobody anything.
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

    /// As what an ephemeral session knows of the partial file; nil in others.
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
    /// What an ephemeral session's task leaves is to go with the session.
    fileprivate func makeMonitor() -> DownloadMonitor {
        let (time, files, name) = (session.engine.time, session.temporaryFiles, "\(number)")
        guard session.configuration.kind == .ephemeral else { return DownloadMonitor(time: time) }
        return DownloadMonitor(time: time) { store in files.adopt(store, as: name) }
    }
}

extension DownloadProgress {
    /// Whether no file is there yet.
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
