internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// A download task of a background session: the daemon does the work, this one asks for it and
/// follows.
final class BackgroundTask: DownloadTask, @unchecked Sendable {
    /// What the daemon is to do with it.
    enum Wish: Sendable {
        case run
        /// Stands still, and may go on.
        case hold
        /// Ends its run, and keeps what came.
        case pause
        case cancel
    }

    struct Remote {
        /// The daemon's number of it; nil before it was added.
        var id: Int64?
        var row: WireDownload?
        var wish = Wish.run
        /// What was asked for last, and that the daemon has taken.
        var asked: Wish?
        /// Of what is being asked.
        var request: EndSignal?
        /// It has ended there, as an answer said; how, its event tells.
        var isOver = false
        /// Whether the daemon may have it though it never said so.
        var isUnsure = false
        /// Its end is being asked for with its resume data: that it goes from the daemon keeps them.
        var isLeaving = false
        /// Of the run that began last.
        var runEnd: EndSignal?
        /// Up to there events tell of what was asked here.
        var ownEvents: Int64 = 0
        var outcome: Result<DownloadedFile, DownloadError>?
        var resumeData: ResumeData?
        /// What the daemon knows of what can be set; nil before it has the task.
        var facts: Facts?
        /// How many bytes were there when this process found it, or when its run continued.
        var foundBytes: Int64 = 0
        /// Behind how many bytes the run continues, as the delegate is to hear; nil if it does not.
        var offset: Int64?
        /// As it stood still: what a run that ends quickly has continued.
        var pausedRow: WireDownload?
        /// How often it has started over, and how often in the daemon's run of it.
        var restarts = (all: 0, ofRun: 0)
    }

    let link: BackgroundLink
    /// Whether it was there before this process asked for it.
    let isAdopted: Bool
    let remote = Mutex(Remote())
    /// Rings when the run is to look again.
    let bell = Mailbox<Never>()

    init(
        _ request: DownloadRequest,
        _ target: Target,
        at place: Place,
        link: BackgroundLink,
        isAdopted: Bool = false,
        completionHandler: DownloadCompletionHandler?
    ) {
        self.link = link
        self.isAdopted = isAdopted
        super.init(request, target, at: place, completionHandler: completionHandler)
    }

    // MARK: - Looking

    override var response: DownloadResponse? { remote.withLock { $0.row?.response?.response } }

    override var metrics: TaskMetrics {
        remote.withLock { $0.row?.metrics?.metrics } ?? TaskMetrics()
    }

    override var ownProgress: DownloadProgress {
        let (row, found) = remote.withLock { ($0.row, $0.foundBytes) }
        guard let row else { return DownloadProgress() }
        var progress = row.progress
        progress.resumedBytes = found
        if isTemporary { progress.name = response?.suggestedFilename ?? row.name }
        return progress
    }

    override var resumability: Resumability {
        let row = remote.withLock { $0.row }
        var facts = ResumeFacts()
        facts.representation = row?.response?.head.map { Representation(head: $0) }
        facts.receivedBytes = row?.completedBytes ?? 0
        facts.allowsWeakResume =
            originalRequest.settings(in: session.configuration).allowsWeakResume
        return Resumability(facts)
    }

    // MARK: - For its lifecycle

    override func wasChanged() { tellChanges() }

    /// The daemon says whose turn it is.
    override var takesPlace: Bool { false }

    /// The daemon keeps no connection for one that stands still.
    override var suspensionLimit: Duration? { nil }

    override func renewControl() { wish(.run) }

    override func hold() { wish(.hold) }

    override func release() { wish(.run) }

    override func stop(keeping: Bool) { wish(keeping ? .pause : .cancel) }

    private func wish(_ wish: Wish) {
        remote.withLock { remote in
            remote.wish = wish
            if wish == .pause || wish == .hold { remote.stoodStill() }
        }
        bell.nudge()
        // Also one that was ended on purpose must hear of that.
        if wish != .run { link.want() }
    }

    override func work(_ place: StartPlace) async throws(DownloadError) -> TaskProduct {
        .file(try await follow())
    }

    override func discard(_ done: @escaping @Sendable () -> Void) {
        let id = remote.withLock { remote in
            defer { remote.wish = .cancel }
            return remote.asked == .cancel ? nil : remote.id
        }
        guard let id else { return done() }
        let selection = link.selection(id)
        link.want()
        link.later { client in
            do throws(DownloadError) {
                _ = try await client.act(.cancel, on: selection)
            } catch {
                // What has ended or gone meanwhile needs none.
                guard error.code == .usage || error.code == .notFound else { return false }
            }
            done()
            return true
        }
    }

    override func wasCancelled() {}

    override func cancelled(isKept: Bool) -> DownloadError {
        var error = DownloadError(.cancelled, "the task was cancelled")
        guard isKept else { return error }
        error.resumeData = remote.withLock { $0.resumeData }
        if error.resumeData == nil { error.resumeObstacle = resumability.obstacle }
        return error
    }

    override var resumeData: ResumeData? { remote.withLock { $0.resumeData } }

    override func cancelByProducingResumeData() async -> ResumeData? {
        pause()
        // What it asks for must not meet what follows.
        await remote.withLock { $0.runEnd }?.waitInAnyCase()
        guard let id = remote.withLock({ $0.id }) else {
            end(keeping: true)
            await end.waitInAnyCase()
            return resumeOrder?.data
        }
        do throws(DownloadError) {
            try await leave(id, try link.client())
            end(keeping: true)
        } catch {
            // It has ended or gone meanwhile: its event tells. Or there is no daemon: it stays there.
            if error.code != .usage && error.code != .notFound { end(keeping: true) }
        }
        await end.waitInAnyCase()
        return remote.withLock { $0.resumeData } ?? error?.resumeData
    }

    private func leave(_ id: Int64, _ client: DaemonClient) async throws(DownloadError) {
        let selection = link.selection(id)
        _ = try await client.act(.pause, on: selection)
        let data = given(try await client.resumeData(of: id))
        remote.withLock { remote in
            remote.resumeData = data
            remote.isLeaving = true
        }
        // Where there is nothing to go on with there is nothing to keep.
        _ = try await client.act(data == nil ? .removeWithFiles : .remove, on: selection)
    }

    // MARK: - Telling

    override func tell(_ told: inout Told, isLast: Bool) {
        let progress = ownProgress
        let (offset, restarts) = remote.withLock { ($0.offset, $0.restarts.all) }
        if told.restarts != restarts {
            told.restarts = restarts
            session.post(.startedOver(self, discarded: told.bytes))
            told.bytes = 0
        }
        if !told.hasOffset, let offset, offset > 0 {
            told.hasOffset = true
            told.bytes = offset
            session.post(.resumed(self, offset: offset, expected: progress.totalBytes))
        }
        tellBytes(&told, progress, isLast: isLast)
    }
}
