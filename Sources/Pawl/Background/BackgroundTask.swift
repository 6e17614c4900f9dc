internal import struct FoundationEssentials.Date
internal import Glibc
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import PawlWire
internal import Synchronization

/// A download task of a background session: the daemon runs the download, and this task controls
/// and follows it.
final class BackgroundTask: DownloadTask, @unchecked Sendable {
    private let link: BackgroundLink
    /// Whether the download existed before this process requested it.
    private let isAdopted: Bool
    private let remote = Mutex(RemoteDownload())
    /// Wakes the run to check its state again.
    private let wakeup = Wakeup()
    /// Set when the daemon has the download, or the task stops before; the next run then begins
    /// with a new one.
    private let handover = Mutex(Completion<Void>())

    init(
        _ request: DownloadRequest,
        _ target: Target,
        at membership: Membership,
        link: BackgroundLink,
        isAdopted: Bool = false,
        completionHandler: DownloadCompletionHandler?
    ) {
        self.link = link
        self.isAdopted = isAdopted
        super.init(request, target, at: membership, completionHandler: completionHandler)
    }

    // MARK: - State

    override var response: DownloadResponse? { remote.withLock { $0.row?.response?.response } }

    override var metrics: TaskMetrics {
        remote.withLock { $0.row?.metrics } ?? TaskMetrics()
    }

    override var ownProgress: DownloadProgress {
        remote.withLock { progress(of: $0) }
    }

    private func progress(of remote: RemoteDownload) -> DownloadProgress {
        guard let row = remote.row else { return DownloadProgress() }
        var progress = row.progress
        progress.resumedBytes = remote.foundBytes
        if target.isTemporary {
            progress.name = row.response?.response?.suggestedFilename ?? row.name
        }
        return progress
    }

    override var resumability: Resumability {
        let row = remote.withLock { $0.row }
        var facts = ResumeFacts()
        facts.representation = row?.response?.head.map { Representation(head: $0) }
        facts.receivedBytes = row?.completedBytes ?? 0
        facts.allowsWeakResume = settings.allowsWeakResume
        return Resumability(facts)
    }

    override func waitForHandover() async -> Bool {
        await handover.withLock { $0 }.wait()
        return remote.withLock { $0.id } != nil && error == nil
    }

    override func waitForHandoverIgnoringCancellation() async {
        await handover.withLock { $0 }.waitIgnoringCancellation()
    }

    /// Wakes those that wait for the handover.
    private func endHandover() { handover.withLock { $0 }.complete() }

    // MARK: - For its lifecycle

    override func wasChanged() { sendChangesLater() }

    /// Whether the task takes a slot; it does not, because the daemon decides whose turn it is.
    override var takesSlot: Bool { false }

    /// The time limit of a suspension; `nil`, because the daemon keeps no connection for a paused
    /// download.
    override var suspensionLimit: Duration? { nil }

    override func renewControl() {
        setGoal(.run)
        guard remote.withLock({ $0.id }) == nil else { return }
        handover.withLock { if $0.isComplete { $0 = Completion() } }
    }

    override func hold() { setGoal(.hold) }

    override func release() { setGoal(.run) }

    override func stop(keeping: Bool) {
        setGoal(keeping ? .pause : .cancel)
        endHandover()
    }

    private func setGoal(_ goal: RemoteDownload.Goal) {
        remote.withLock { $0.setGoal(goal) }
        wakeup.send()
        // A daemon that was ended on purpose must be told of this, too.
        if goal != .run { link.requireDaemon() }
    }

    override func work(
        _ slot: RunSlot,
        after handover: Handover?
    ) async throws(DownloadError) -> TaskProduct { .file(try await follow()) }

    /// Never begins in the lane: the daemon downloads the file.
    override func enterLane(_ slot: RunSlot) -> Bool { false }

    override func discard(_ done: @escaping @Sendable () -> Void) {
        guard let id = remote.withLock({ $0.cancel() }) else { return done() }
        let selection = link.selection(id)
        link.requireDaemon()
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

    override func settled(_ outcome: Result<TaskProduct, DownloadError>) {
        super.settled(outcome)
        endHandover()
    }

    override func cancelled(isKept: Bool) -> DownloadError {
        var error = DownloadError(.cancelled, "the task was cancelled")
        guard isKept else { return error }
        error.resumeData = remote.withLock { $0.resumeData }
        if error.resumeData == nil { error.resumeObstacle = resumability.obstacle }
        return error
    }

    override var resumeData: ResumeData? { remote.withLock { $0.resumeData } }

    override func cancelByProducingResumeData() async -> ResumeData? {
        // Its requests must not overlap with what follows.
        await pause()
        guard let id = remote.withLock({ $0.id }) else {
            end(keeping: true)
            await end.waitIgnoringCancellation()
            return resumeRequest?.data
        }
        do throws(DownloadError) {
            try await remove(id, try link.client())
            end(keeping: true)
        } catch {
            // If the download has ended or gone meanwhile, its event reports that. If there is no
            // daemon, the download stays in the daemon's queue.
            if error.code != .usage && error.code != .notFound { end(keeping: true) }
        }
        await end.waitIgnoringCancellation()
        return remote.withLock { $0.resumeData } ?? error?.resumeData
    }

    /// Fetches the resume data of the download, and removes the download from the daemon.
    private func remove(_ id: Int64, _ client: DaemonClient) async throws(DownloadError) {
        let selection = link.selection(id)
        _ = try await client.act(.pause, on: selection)
        let data = portable(try await client.resumeData(of: id))
        remote.withLock { $0.willBeRemoved(keeping: data) }
        // Without resume data there is nothing to keep.
        _ = try await client.act(data == nil ? .removeWithFiles : .remove, on: selection)
    }

    override var received: TaskReports.Received? {
        remote.withLock { remote in
            TaskReports.Received(
                progress: progress(of: remote),
                restarts: remote.restarts,
                restartReason: remote.restartReason,
                offset: remote.offset ?? 0,
                isUnconfirmed: remote.isUnconfirmed
            )
        }
    }

    // MARK: - Requests

    /// Follows the download.
    ///
    /// Returns when the file is in its place.
    private func follow() async throws(DownloadError) -> DownloadedFile {
        link.requireDaemon()
        while true {
            let phase = link.phase
            switch remote.withLock({ $0.nextStep(phase) }) {
            case .ask(let goal): try await ask(goal)
            case .wait: await wakeup.waitIgnoringCancellation()
            case .requireDaemon:
                link.requireDaemon()
                await wakeup.waitIgnoringCancellation()
            case .end(let result): return try await delivered(try result.get())
            case .stop: throw DownloadError(.interrupted, "the task was stopped")
            }
        }
    }

    private func ask(_ goal: RemoteDownload.Goal) async throws(DownloadError) {
        // What the daemon reports meanwhile is handled when its response is known.
        let request = Completion<Void>()
        remote.withLock { $0.request = request }
        defer { request.complete() }
        do throws(DownloadError) {
            let client = try link.client()
            guard let id = remote.withLock({ $0.id }) else { return try await add(client) }
            // Send a date that was set during the pause first: it applies to this start.
            if goal == .run { _ = await sendChanges(client) }
            let answer = try await client.act(goal.action, on: link.selection(id))
            remote.withLock { $0.accepted(goal, answer) }
        } catch {
            let hasID = remote.withLock { $0.id } != nil
            switch error.code {
            case .conflict where hasID:
                // The download has ended there meanwhile; its event reports how.
                remote.withLock { $0.refused() }
            // A request that the daemon does not understand now will not be understood later.
            case .usage where hasID, .daemonVersion where hasID:
                remote.withLock { $0.ended(.failure(error)) }
            case .notFound where hasID: remote.withLock { $0.ended(.failure(Self.isGone)) }
            case .daemonUnavailable, .network, .timedOut:
                if !hasID { remote.withLock { $0.addingFailed() } }
                await restShortly()
            // The daemon's disk may be full, for example. The download that it has continues.
            case _ where hasID: await restShortly()
            default: throw error
            }
        }
    }

    /// Waits briefly.
    ///
    /// The link finds out by itself whether there is a daemon, and wakes this task when there is
    /// one again.
    private func restShortly() async {
        // Only cancelling the run ends this early.
        try? await engine.time.sleep(until: engine.time.now() + .seconds(1))
    }

    private func add(_ client: DaemonClient) async throws(DownloadError) {
        let options = BackgroundTaskOptions(self)
        let new = try await newDownload(options)
        if new.resumeData != nil { remote.withLock { $0.willContinue() } }
        let answer = try await client.add([new], key: "\(link.identifier)/\(taskIdentifier)")
        guard let row = answer.downloads.first else { return }
        link.bind(row.id, to: taskIdentifier)
        let known = BackgroundTaskOptions(row)
        remote.withLock { remote in
            remote.added(row, answer.lastEvent)
            remote.options = known
        }
        endHandover()
        // Something may have been set meanwhile, or before a response that was lost.
        if BackgroundTaskOptions(self) != known { sendChangesLater() }
    }

    private func newDownload(
        _ options: BackgroundTaskOptions
    ) async throws(DownloadError) -> NewDownload {
        try settings.checkRequest()
        var settings = settings
        settings.limitBytesPerSecond = options.limit
        var new = NewDownload(
            url: originalRequest.url.absoluteString,
            destination: try await files.path(for: target.requested, taskIdentifier),
            settings: SettingsDocument(settings)
        )
        new.session = link.identifier
        new.taskIdentifier = Int64(taskIdentifier)
        new.taskDescription = options.description
        new.priority = WirePriority(options.priority)
        new.notBefore = options.notBefore
        new.resumeData = resumeRequest?.data.data
        // Resume data contain their key.
        if resumeRequest == nil { new.storageKey = storageKey }
        new.replaces = replaces
        return new
    }

    private var files: BackgroundFiles { BackgroundFiles(session) }

    /// Moves the file to where the caller wants it: the daemon can call no closure, and does not
    /// create temporary files.
    private func delivered(_ file: DownloadedFile) async throws(DownloadError) -> DownloadedFile {
        if let choose = target.choice, let response {
            // The user's closure may block for any time.
            let destination = try await session.engine.choices.run { () throws(DownloadError) in
                try choose(response)
            }
            return try await files.move(file, of: self, to: destination, response)
        }
        // A temporary file stays where the next process can find it, too, until its end was
        // reported.
        guard target.isTemporary, isAdopted,
            let moved = await files.moved(file, of: taskIdentifier)
        else { return file }
        // The closure that chose the file's path now owns the file.
        target.handOver()
        return moved
    }

    private static let isGone = DownloadError(
        .cancelled,
        "the download was removed from the daemon",
        advice: "add it again"
    )

    // MARK: - Options

    /// Sends everything that was set meanwhile in one request, when the daemon can be asked.
    private func sendChangesLater() {
        guard remote.withLock({ $0.takesChanges }) else { return }
        link.later { [weak self] client in await self?.sendChanges(client) ?? true }
    }

    /// Sends the changes.
    ///
    /// Returns whether the daemon knows them now, or need not know them.
    private func sendChanges(_ client: DaemonClient) async -> Bool {
        // The order matters: a value set by another process is stored here before it counts as
        // known (`takeChanges`).
        let (id, isRunning, known) = remote.withLock { ($0.id, $0.isRunning, $0.options) }
        let wanted = BackgroundTaskOptions(self)
        guard let id, let known else { return true }
        let changes = wanted.changes(from: known, Date(), isRunning: isRunning)
        guard !changes.isEmpty else { return true }
        do throws(DownloadError) {
            _ = try await client.change(link.selection(id), changes)
            remote.withLock { remote in
                remote.options = wanted
                if changes.notBefore == nil { remote.options?.notBefore = known.notBefore }
            }
            return true
        } catch {
            // A download that has ended or gone meanwhile needs no changes.
            return error.code == .usage || error.code == .notFound
        }
    }

    /// Applies changes that another process made, or this process, which makes no difference.
    private func takeChanges(_ row: WireDownload) {
        let theirs = BackgroundTaskOptions(row)
        guard let known = remote.withLock({ $0.options }) else { return }
        changeOptions { theirs.apply(to: &$0, where: known) }
        limit.changeLimit(from: known.limit, to: theirs.limit, now: engine.time.now())
        remote.withLock { $0.options = theirs }
    }

    // MARK: - Reports of the daemon

    /// The daemon's number of the download while its end is not known.
    var openID: Int64? { remote.withLock { $0.openID } }

    /// Makes the task check the state of the link.
    func wake() { wakeup.send() }

    /// Forgets the numbers of events of a queue that was replaced.
    func forgetEvents() { remote.withLock { $0.forgetEvents() } }

    /// Handles that a download of the daemon belongs to this task.
    func found(_ row: WireDownload) {
        if let event = remote.withLock({ $0.found(row, isAdopted: isAdopted) }) { handle(event) }
        endHandover()
        wakeup.send()
        // If the response was lost, the download was added with the values of that time.
        if !isAdopted { sendChangesLater() }
    }

    func update(_ row: WireDownload) { remote.withLock { $0.update(row) } }

    func update(_ progress: WireProgress.Row) { remote.withLock { $0.update(progress) } }

    /// Handles an event.
    ///
    /// Throws if the daemon is gone meanwhile; then the event is sent again.
    func received(_ event: WireEvent, _ client: DaemonClient) async throws(DownloadError) {
        await remote.withLock { $0.request }?.waitIgnoringCancellation()
        switch event.kind {
        case .added, .settings: break
        case .changed: try await receivedChanges(event, client)
        case .started: remote.withLock { $0.entered(.running) }
        case .retrying: remote.withLock { $0.entered(.waiting) }
        case .paused: received(.pause, .paused, event)
        case .resumed: received(.run, .waiting, event)
        case .finished, .failed, .cancelled, .removed: try await ended(event, client)
        }
    }

    private func receivedChanges(
        _ event: WireEvent,
        _ client: DaemonClient
    ) async throws(DownloadError) {
        guard let id = event.download, let row = try await client.find(id) else { return }
        takeChanges(row)
    }

    /// Handles a pause or a resume, perhaps by another process.
    private func received(_ goal: RemoteDownload.Goal, _ state: TaskState, _ event: WireEvent) {
        guard remote.withLock({ $0.received(goal, state, event: event.id) }) else { return }
        handle(goal == .pause ? .pauseAsked : .resumeAsked)
        // What the lifecycle now asks for is done already: send nothing.
        remote.withLock { $0.isAlready(goal) }
        wakeup.send()
    }

    private func ended(_ event: WireEvent, _ client: DaemonClient) async throws(DownloadError) {
        if let row = event.removed, row.state.isEnd {
            // It had ended before, and nobody had been told.
            update(row)
            return concluded(Self.outcome(of: row))
        }
        if event.kind == .cancelled || event.kind == .removed {
            let keeps = remote.withLock { $0.wasCancelled() }
            handle(.cancelAsked(keeping: keeps))
            return wakeup.send()
        }
        guard let id = event.download else { return }
        // If the download is gone meanwhile, only the event describes it.
        if let row = try await client.find(id) { update(row) }
        let outcome: Result<DownloadedFile, DownloadError>
        if event.kind == .finished, let path = event.path {
            let count = event.completedBytes ?? 0
            remote.withLock { $0.finished(count) }
            outcome = .success(DownloadedFile(path: path, byteCount: count))
        } else {
            let error =
                event.problem?.error
                ?? DownloadError(.unknown, "the download ended without a reason")
            outcome = .failure(try await explained(error, of: id, client))
        }
        concluded(outcome)
    }

    /// Handles an end whose event may have been lost.
    ///
    /// Throws if the daemon is gone meanwhile.
    func catchUp(with row: WireDownload, _ client: DaemonClient) async throws(DownloadError) {
        update(row)
        guard row.state.isEnd else { return }
        let outcome = Self.outcome(of: row)
        guard row.state == .failed, case .failure(let error) = outcome else {
            return concluded(outcome)
        }
        concluded(.failure(try await explained(error, of: row.id, client)))
    }

    /// Returns the error of a failed download with what else the daemon has of the failure.
    private func explained(
        _ error: DownloadError,
        of id: Int64,
        _ client: DaemonClient
    ) async throws(DownloadError) -> DownloadError {
        var error = error
        error.resumeData = portable(
            try await kept { () async throws(DownloadError) in
                try await client.resumeData(of: id)
            }
        )
        if error.resumeData == nil { error.resumeObstacle = resumability.obstacle }
        guard error.httpStatus != nil else { return error }
        error.errorResponse = try await kept { () async throws(DownloadError) in
            try await client.errorResponse(of: id)
        }
        return error
    }

    /// Returns what the daemon keeps; `nil` if it refuses, for example because the download is gone.
    ///
    /// Throws if there is no daemon.
    private func kept<Value>(
        _ request: () async throws(DownloadError) -> Value?
    ) async throws(DownloadError) -> Value? {
        do throws(DownloadError) {
            return try await request()
        } catch {
            guard error.code == .daemonUnavailable else { return nil }
            throw error
        }
    }

    /// Handles that the daemon no longer has the download.
    func lost() { concluded(.failure(Self.isGone)) }

    private func concluded(_ outcome: Result<DownloadedFile, DownloadError>) {
        remote.withLock { $0.ended(outcome) }
        wakeup.send()
        // A task that is held or paused here starts a run for its end.
        handle(.resumeAsked)
    }

    /// Returns the outcome of a download that was removed after its end.
    private static func outcome(of row: WireDownload) -> Result<DownloadedFile, DownloadError> {
        if row.state == .finished, let path = row.path,
            ObjectAddress.isOne(path) || access(path, F_OK) == 0
        {
            return .success(DownloadedFile(path: path, byteCount: row.completedBytes))
        }
        guard row.state == .failed, let problem = row.problem else { return .failure(isGone) }
        return .failure(problem.error)
    }

    /// Returns the resume data.
    ///
    /// For a task without a destination, the daemon's file is a temporary one.
    private func portable(_ data: ResumeData?) -> ResumeData? {
        switch target.requested {
        case .file, .directory, .place, .object: return data
        case .temporary, .choosing:
            guard var content = data?.content else { return nil }
            content.finalPath = []
            return ResumeData(content)
        }
    }
}

extension BackgroundLink {
    /// Selects that download, and none of another session with such a name.
    func selection(_ id: Int64) -> Selection {
        Selection(targets: ["\(id)"], session: identifier)
    }
}
