internal import PawlCore
internal import PawlWire
internal import Synchronization

/// What is known of a task's download in the daemon, and what the daemon should do with it.
///
/// It decides which request the task sends next.
struct RemoteDownload {
    /// What the daemon should do with the download.
    enum Goal: Sendable {
        case run
        /// Hold the download, which may continue.
        case hold
        /// End the run, and keep the bytes received so far.
        case pause
        case cancel

        var action: QueueAction {
            switch self {
            case .run: .resume
            case .hold, .pause: .pause
            case .cancel: .cancel
            }
        }

        /// Whether the run must end, and the task waits for that.
        fileprivate var isStop: Bool { self == .pause || self == .cancel }
    }

    enum Step {
        case ask(Goal)
        case wait
        /// The request was not sent yet, and there is no daemon to send it to.
        case requireDaemon
        case end(Result<DownloadedFile, DownloadError>)
        /// End the run without a result.
        case stop
    }

    /// The daemon's number of the download; `nil` before it was added.
    private(set) var id: Int64?
    private(set) var row: WireDownload?
    /// The options as the daemon knows them; `nil` before it has the task.
    var options: BackgroundTaskOptions?
    /// Set at the end of the current request.
    var request: Completion<Void>?
    private(set) var resumeData: ResumeData?
    /// The number of bytes that existed when this process found the download, or when its run
    /// continued.
    private(set) var foundBytes: Int64 = 0
    /// The offset at which the run continues, for the delegate; `nil` if it does not continue.
    private(set) var offset: Int64?
    /// The number of times that the download has started over.
    private(set) var restarts = 0
    /// Why the download started over the last time.
    private(set) var restartReason = DownloadRestart.Reason.fileChanged
    /// Whether the bytes of an earlier run may still be discarded.
    private(set) var isUnconfirmed = false
    /// Whether the current run may continue from existing bytes that were not reported.
    private var mayContinue = false
    /// The number of times in the daemon's current run.
    private var restartsOfRun = 0
    private var goal = Goal.run
    /// The goal of the last request that the daemon has accepted.
    private var asked: Goal?
    /// Whether the download has ended there, according to a response; the event reports how.
    private var isOver = false
    /// Whether the daemon may have the download although it has not confirmed it.
    private var isUnsure = false
    /// Whether the task itself removes the download from the daemon, and keeps the resume data.
    private var isBeingRemoved = false
    /// The last event caused by requests of this task.
    private var ownEvents: Int64 = 0
    private var outcome: Result<DownloadedFile, DownloadError>?
    /// The row when the download was paused, which shows from where a run that ends quickly has
    /// continued.
    private var pausedRow: WireDownload?

    /// The daemon's number of a download whose end is not known.
    var openID: Int64? { outcome == nil ? id : nil }

    /// Whether the daemon runs the download, and was not asked to stop it.
    ///
    /// The row shows a pause only when its event was received.
    var isRunning: Bool {
        guard let state = row?.state, asked == nil || asked == .run else { return false }
        return state == .running || state == .waitingForConnectivity
    }

    /// Whether changed options are sent to the daemon.
    ///
    /// A download that was not added yet is added with the new values.
    var takesChanges: Bool { options != nil && outcome == nil }

    // MARK: - Requests

    /// Returns what the task does next.
    func nextStep(_ phase: BackgroundLink.Phase) -> Step {
        if let outcome { return .end(outcome) }
        if case .lost(let error) = phase { return goal.isStop ? .stop : .end(.failure(error)) }
        if isOver { return .wait }
        if goal.isStop, id == nil, !isUnsure { return .stop }
        if asked == goal { return goal.isStop ? .stop : .wait }
        switch phase {
        case .connecting: return .requireDaemon
        case .failed(let error), .lost(let error):
            return goal.isStop ? .stop : .end(.failure(error))
        case .attached: return .ask(goal)
        }
    }

    mutating func setGoal(_ goal: Goal) {
        self.goal = goal
        if goal == .pause || goal == .hold { stopped() }
    }

    /// Handles that the download is added with resume data.
    mutating func willContinue() { mayContinue = true }

    /// Handles that the daemon has added the download.
    mutating func added(_ row: WireDownload, _ lastEvent: Int64) {
        id = row.id
        update(row)
        (asked, ownEvents) = (.run, lastEvent)
    }

    /// Handles the daemon's response to a request.
    mutating func accepted(_ goal: Goal, _ answer: WireOutcome) {
        asked = goal
        ownEvents = max(ownEvents, answer.lastEvent)
        if let row = answer.downloads.first { update(row) }
        if goal == .pause || goal == .hold { stopped() }
    }

    /// Handles that the daemon has refused a request because the download has ended.
    mutating func refused() { isOver = true }

    /// Handles a request to add the download that was not answered.
    mutating func addingFailed() { isUnsure = true }

    /// Handles the cancellation of the task.
    ///
    /// Returns the number of the download if the daemon does not know of it.
    mutating func cancel() -> Int64? {
        goal = .cancel
        return asked == .cancel ? nil : id
    }

    /// Handles that the resume data was received, after which the download is removed.
    mutating func willBeRemoved(keeping data: ResumeData?) {
        (resumeData, isBeingRemoved) = (data, true)
    }

    /// Forgets the numbers of events of a queue that was replaced.
    mutating func forgetEvents() { ownEvents = 0 }

    // MARK: - Reports

    /// Handles that a download of the daemon belongs to the task.
    ///
    /// Returns the event for the lifecycle of a task that another process has created.
    mutating func found(_ row: WireDownload, isAdopted: Bool) -> TaskLifecycle.Event? {
        let isNew = id == nil
        if isNew { options = BackgroundTaskOptions(row) }
        id = row.id
        if isNew, !row.state.isEnd {
            (foundBytes, offset) = (row.completedBytes, row.completedBytes)
            // The first progress of the run shows whether they are confirmed.
            isUnconfirmed = row.state == .running
        }
        update(row)
        let isPaused = row.state == .paused || row.state == .suspended
        // A task that sends its own requests knows its state, but perhaps not that it was added.
        guard isNew, isAdopted else {
            if isUnsure { asked = isPaused ? .pause : .run }
            return nil
        }
        (goal, asked) = isPaused ? (.pause, .pause) : (.run, .run)
        return isPaused ? .pauseAsked : .resumeAsked
    }

    /// Takes over the values of a row.
    ///
    /// A running download has more values than the row.
    mutating func update(_ new: WireDownload) {
        var new = new
        if let row, row.state == .running, new.state == .running {
            new.completedBytes = max(new.completedBytes, row.completedBytes)
        }
        row = new
    }

    mutating func update(_ progress: WireProgress.Row) {
        guard var row, !row.state.isEnd else { return }
        row.take(progress)
        self.row = row
        isUnconfirmed = progress.isUnconfirmed ?? false
        if let count = progress.resumedBytes, pausedRow != nil || mayContinue {
            (foundBytes, offset) = (count, count)
            (pausedRow, mayContinue) = (nil, false)
        }
        let count = progress.restarts ?? 0
        if count > restartsOfRun {
            restarts += count - restartsOfRun
            let reason = progress.restartReason.flatMap { DownloadRestart.Reason(rawValue: $0) }
            restartReason = reason ?? .fileChanged
            (pausedRow, mayContinue) = (nil, false)
        }
        restartsOfRun = count
    }

    mutating func entered(_ state: TaskState) { row?.state = state }

    /// Handles a pause or a resume.
    ///
    /// Returns whether another process has requested it.
    mutating func received(_ goal: Goal, _ state: TaskState, event: Int64) -> Bool {
        row?.state = state
        if goal == .pause { stopped() }
        guard event > ownEvents, self.goal != .hold, self.goal != .cancel else { return false }
        (self.goal, asked) = (goal, goal)
        return true
    }

    /// Handles that the state for which the lifecycle asks exists already.
    mutating func isAlready(_ goal: Goal) { asked = goal }

    /// Handles the cancellation or removal of the download.
    ///
    /// Returns whether the received bytes are kept.
    mutating func wasCancelled() -> Bool {
        (goal, asked) = (.cancel, .cancel)
        isOver = false
        return isBeingRemoved
    }

    /// Handles the finished file.
    ///
    /// Its run may have ended before its progress was received; then the validators show whether it
    /// has continued from the existing bytes.
    mutating func finished(_ byteCount: Int64) {
        row?.completedBytes = byteCount
        guard let before = pausedRow else { return }
        pausedRow = nil
        guard let old = before.response?.head, let new = row?.response?.head else { return }
        let (known, seen) = (Representation(head: old), Representation(head: new))
        if known.isProvenSame(seen) {
            (foundBytes, offset) = (before.completedBytes, before.completedBytes)
        } else if case .changed = known.compare(seen) {
            restarts += 1
            restartReason = .fileChanged
        }
    }

    mutating func ended(_ outcome: Result<DownloadedFile, DownloadError>) {
        self.outcome = outcome
        if case .success = outcome { isUnconfirmed = false }
    }

    /// Handles that the download is paused: the next bytes continue after the existing ones.
    private mutating func stopped() {
        offset = nil
        if let row, row.completedBytes > 0 { pausedRow = row }
    }
}
