internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// A download task of a background session: the daemon runs the download, and this task controls
/// and follows it.
final class BackgroundTask: DownloadTask, @unchecked Sendable {
    /// What the daemon should do with the download.
    enum Wish: Sendable {
        case run
        /// Hold the download, which may continue.
        case hold
        /// End the run, and keep the bytes received so far.
        case pause
        case cancel
    }

    struct Remote {
        /// The daemon's number of the download; `nil` before it was added.
        var id: Int64?
        var row: WireDownload?
        var wish = Wish.run
        /// The last request that the daemon has accepted.
        var asked: Wish?
        /// Set at the end of the current request.
        var request: Completion<Void>?
        /// Whether the download has ended there, according to an answer; the event reports how.
        var isOver = false
        /// Whether the daemon may have the download although it has not confirmed it.
        var isUnsure = false
        /// Whether its end and its resume data are being requested.
        ///
        /// Its removal from the daemon does not delete them.
        var isLeaving = false
        /// Set at the end of the run that began last.
        var runEnd: Completion<Void>?
        /// The last event caused by requests of this task.
        var ownEvents: Int64 = 0
        var outcome: Result<DownloadedFile, DownloadError>?
        var resumeData: ResumeData?
        /// The settable values as the daemon knows them; `nil` before it has the task.
        var facts: Facts?
        /// The number of bytes that existed when this process found the download, or when its run
        /// continued.
        var foundBytes: Int64 = 0
        /// The offset at which the run continues, for the delegate; `nil` if it does not continue.
        var offset: Int64?
        /// The row when the download was paused, which shows from where a run that ends quickly has
        /// continued.
        var pausedRow: WireDownload?
        /// The number of times that the download has started over, in all and in the daemon's
        /// current run.
        var restarts = (all: 0, ofRun: 0)
    }

    let link: BackgroundLink
    /// Whether the download existed before this process requested it.
    let isAdopted: Bool
    let remote = Mutex(Remote())
    /// Wakes the run to check its state again.
    let wakeup = Wakeup()

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

    // MARK: - State

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

    /// Whether the task takes a place; it does not, because the daemon decides whose turn it is.
    override var takesPlace: Bool { false }

    /// The time limit of a suspension; `nil`, because the daemon keeps no connection for a paused
    /// download.
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
        wakeup.send()
        // A daemon that was ended on purpose must be told of this, too.
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
                // A download that has ended or gone meanwhile needs no request.
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
        // Its requests must not overlap with what follows.
        await remote.withLock { $0.runEnd }?.waitIgnoringCancellation()
        guard let id = remote.withLock({ $0.id }) else {
            end(keeping: true)
            await end.waitIgnoringCancellation()
            return resumeOrder?.data
        }
        do throws(DownloadError) {
            try await leave(id, try link.client())
            end(keeping: true)
        } catch {
            // If it has ended or gone meanwhile, its event reports that. If there is no daemon, it
            // stays there.
            if error.code != .usage && error.code != .notFound { end(keeping: true) }
        }
        await end.waitIgnoringCancellation()
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
        // Without resume data there is nothing to keep.
        _ = try await client.act(data == nil ? .removeWithFiles : .remove, on: selection)
    }

    // MARK: - Reporting

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
