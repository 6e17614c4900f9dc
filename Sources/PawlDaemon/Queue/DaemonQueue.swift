internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The daemon's queue: the store decides what is scheduled, the schedule decides which tasks run.
///
/// Each change of a state goes through this actor, one after the other, and is in the store before
/// anybody is notified of it. The actor has a separate thread, because each change waits for the
/// disk. Its parts are not `Sendable`: they are used only on this thread.
actor DaemonQueue {
    nonisolated let store: any QueueStore
    nonisolated let session: DownloadSession
    nonisolated let running: RunningDownloads
    nonisolated let notifier: EventNotifier
    nonisolated let counters: DaemonCounters
    nonisolated let listener: NetworkListener
    /// The listener for clients of aria2.
    nonisolated let aria2Listener: NetworkListener
    /// The GIDs of the downloads for clients of aria2.
    nonisolated let gids: Aria2GIDs
    /// Wakes the tasks that wait for downloads to end.
    nonisolated let endings: Wakeup
    /// Wakes the task that does the jobs of hooks.
    nonisolated let hooks: Wakeup
    /// Wakes the task that checks feeds.
    nonisolated let feedWork: Wakeup
    private let environment: QueueEnvironment
    private let parts: QueueParts
    private let health: StoreHealth
    private let queueStep: QueueStep
    private let taker: WorkTaker
    private let pruner: HistoryPruner
    private let recorder: RunRecorder
    private let reporter: NodeReporter
    private let adder: DownloadAdder
    private let importer: ListImporter
    private let actions: DownloadActions
    private let undo: RemovalUndo
    private let remoteCommands: RemoteCommands
    private let editor: DownloadEditor
    private let feeds: FeedCommands
    private let feedRecorder: FeedRecorder
    /// Wakes the task that watches running downloads.
    private let started = Wakeup()
    private let thread = StoreThread()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    init(_ initial: InitialQueue, logger: Logger) {
        (store, listener) = (initial.store, initial.listener)
        aria2Listener = initial.aria2Listener
        session = initial.session(logger)
        environment = QueueEnvironment(
            store: store,
            session: session,
            logger: logger,
            lastEvent: initial.lastEvent
        )
        (running, notifier) = (environment.running, environment.notifier)
        (counters, endings) = (environment.counters, environment.endings)
        (hooks, feedWork) = (environment.hooks, environment.feeds)
        parts = QueueParts(environment, initial)
        gids = parts.gids
        (health, editor) = (StoreHealth(store), DownloadEditor(parts: parts))
        (queueStep, taker, recorder) = (QueueStep(parts), WorkTaker(parts), RunRecorder(parts))
        (pruner, reporter) = (HistoryPruner(environment), NodeReporter(environment))
        adder = DownloadAdder(parts: parts, folders: initial.folders)
        (undo, remoteCommands) = (RemovalUndo(parts), RemoteCommands(parts))
        actions = DownloadActions(parts: parts, undo: undo)
        (feeds, importer) = (FeedCommands(parts: parts, undo: undo), ListImporter(adder: adder))
        feedRecorder = FeedRecorder(parts: parts, adder: adder)
    }

    /// Continues what an earlier daemon left unfinished.
    func load() throws(DownloadError) {
        gids.load(try store.readBlocking { try $0.gids.all() })
        try StartupRecovery(parts: parts).run()
    }

    // MARK: - Running

    /// Runs the downloads until the task is cancelled, then shuts down: running downloads keep what
    /// they have received.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch() }
            await withTaskCancellationHandler {
                while true {
                    if Task.isCancelled { parts.control.shutDown() }
                    parts.settings.checkTimetable(at: Date())
                    taker.take()
                    let runs = queueStep.run()
                    for run in runs { group.addTask { await self.follow(run) } }
                    if !runs.isEmpty { started.send() }
                    undo.expire(at: Date())
                    if pruner.prune(parts.settings.current, at: Date()) { environment.work.send() }
                    for upload in parts.uploads.take(at: Date()) {
                        group.addTask { await self.abort(upload) }
                    }
                    let removals = parts.removals.takeQueued()
                    if !removals.isEmpty {
                        group.addTask { _ = await self.carryOut(removals) }
                    }
                    for move in parts.moves.takeQueued() {
                        group.addTask { await self.finish(move) }
                    }
                    if parts.control.isShuttingDown, !parts.waiting.hasRunning {
                        undo.forgetAll()
                        break
                    }
                    if parts.control.isShuttingDown {
                        await environment.work.waitIgnoringCancellation()
                    } else {
                        await environment.work.wait(atMost: timeToNextStep)
                    }
                }
            } onCancel: {
                environment.work.send()
            }
            group.cancelAll()
        }
    }

    /// The time until the next step is due without any event; `nil` if the next step waits for an
    /// event.
    private var timeToNextStep: Duration? {
        // A step that could not be written is tried again soon.
        if queueStep.isBehind { return .seconds(1) }
        let dates = [
            parts.waiting.nextDate, parts.settings.nextTimetableCheck, pruner.nextDate,
            undo.nextDate, parts.uploads.nextDate,
        ].compactMap { $0 }
        let waits = [
            dates.min().map { Duration.seconds(max(0, min($0.timeIntervalSinceNow, 3600))) },
            parts.waiting.nextMoment.map { max(.zero, $0 - environment.moment) },
            taker.interval,
        ]
        return waits.compactMap { $0 }.min()
    }

    /// Runs a task until its end, which the next step records.
    private func follow(_ run: StartedRun) async {
        run.task.resume()
        await run.task.waitForEndIgnoringCancellation()
        let result: Result<DownloadedFile, DownloadError>
        do throws(DownloadError) {
            result = .success(try await run.task.file)
        } catch {
            result = .failure(error)
        }
        parts.retries.learn(from: result)
        var end = EndedRun(id: run.id, task: run.task, result: result)
        if case .success(let file) = result {
            do throws(DownloadError) {
                let job = try await recordedMove(of: file, run)
                if let moved = try await job?.carryOut(in: environment) { end.move(to: moved) }
            } catch {
                // The end is not recorded, either, so the next start finds the file and moves it.
                parts.waiting.ended(run.id)
                return environment.work.send()
            }
        }
        queueStep.add(end)
        environment.work.send()
    }

    /// Records that the file of a run is to be moved; returns the job to do so, or `nil` if the
    /// file stays where it is.
    ///
    /// While the queue is not available, it tries again and again.
    ///
    /// - Throws: `.storeUnavailable` if the task is cancelled before.
    private func recordedMove(
        of file: DownloadedFile,
        _ run: StartedRun
    ) async throws(DownloadError) -> MoveJob? {
        while true {
            do throws(DownloadError) {
                return try parts.moves.job(
                    for: file,
                    of: run.id,
                    announced: parts.announcements.finishingFile(of: run.id),
                    mediaType: run.task.response?.mediaType
                )
            } catch {
                // The sleep fails only because of a cancellation.
                guard (try? await Task.sleep(for: Self.recordInterval)) != nil else { throw error }
            }
        }
    }

    /// Wakes all tasks whose last access to the store may have failed.
    func storeIsBack() {
        // A commit whose answer was lost may have written events; the next commit publishes them, too.
        let last = try? store.readBlocking { try $0.events.last() }
        if let last { notifier.published(last) }
        for wakeup in [environment.work, endings, hooks, feedWork] { wakeup.send() }
    }

    /// Wakes those who wait for events, after another daemon has written some.
    ///
    /// What this daemon has written is published by the command that has written it, which has then
    /// taken effect: no other runs between its commit and that moment.
    func publishedByOthers(_ last: Int64) {
        guard last > notifier.last else { return }
        notifier.published(last)
        // A hook's job is written with an event.
        for wakeup in [endings, hooks] { wakeup.send() }
    }

    /// Reads what other daemons have changed, and applies it.
    func reread(_ topics: Set<ChangeTopic>) throws(DownloadError) {
        try SharedMemory(parts: parts, tokens: listener.shared).reread(topics)
        if topics.contains(.downloads) { try remoteCommands.carryOut() }
    }

    /// Publishes the progress of the running downloads, and records their names.
    private func watch() async {
        while !Task.isCancelled {
            guard !running.isEmpty else {
                await started.wait()
                continue
            }
            // The loop checks for cancellation.
            try? await Task.sleep(for: Self.watchInterval)
            recorder.record()
            reporter.record()
            parts.retries.checkNetwork()
            let audiences = notifier.audiences
            if !audiences.isEmpty { notifier.published(running.progress(for: audiences)) }
        }
    }

    private static let watchInterval: Duration = .milliseconds(250)

    /// Removes files after the commit; returns those that remain.
    ///
    /// The caller has held their downloads; this ends the hold.
    ///
    /// The removal of a file that could not be removed stays in the store: it is carried out with
    /// the next action on the download, or at the next start.
    private func carryOut(_ jobs: [RemovalJob]) async -> [WireNotRemoved] {
        guard !jobs.isEmpty else { return [] }
        let remaining = await RemovalJob.carryOut(jobs, in: session, environment.logger)
        // Another file, or one in a folder that is not allowed, is not removed later, either.
        let unfinished = Set(
            remaining.filter { ![.conflict, .notAllowed].contains($0.problem.code) }.map(\.download)
        )
        parts.removals.carriedOut(
            jobs.filter { !unfinished.contains($0.download) }.map(\.intention)
        )
        for job in jobs where parts.waiting.release(job.download) { environment.work.send() }
        return remaining
    }

    /// Finishes a move that an earlier daemon had begun, and records the end of the download.
    ///
    /// If the store cannot be written, it tries again and again: a download that started now would
    /// receive everything again.
    private func finish(_ move: RecoveredMove) async {
        // An error means that the task is cancelled: the loop does not begin.
        let (id, moved) = (move.job.download, try? await move.job.carryOut(in: environment))
        var isBehind = false
        while !Task.isCancelled {
            do throws(DownloadError) {
                parts.queue(try StartupRecovery(parts: parts).record(move, moved))
                parts.moves.finished(id)
                parts.waiting.leave(id)
                _ = parts.waiting.release(id)
                parts.hooks.committed()
                environment.endings.send()
                return environment.work.send()
            } catch {
                if !isBehind {
                    environment.logger.error(
                        "the move of download \(id) cannot be recorded: \(error)"
                    )
                }
                isBehind = true
            }
            // The loop checks for cancellation. The next start finds the file where it is now.
            try? await Task.sleep(for: Self.recordInterval)
        }
    }

    private static let recordInterval: Duration = .seconds(1)

    /// Aborts an upload that no download continues.
    private func abort(_ upload: UploadTable.Abandoned) async {
        var failure: DownloadError?
        do throws(DownloadError) {
            let settings = upload.service.validSettings
            try await session.abortUpload(upload.name, over: settings.connection)
        } catch {
            failure = error
        }
        parts.uploads.ended(upload, failure)
    }

    // MARK: - Commands

    /// Adds all downloads or none.
    ///
    /// `gid`: the GID that a client of aria2 has chosen for the first of them.
    func add(
        _ new: [NewDownload],
        key: String?,
        gid: String? = nil,
        by authority: Authority
    ) throws(DownloadError) -> WireOutcome {
        try adder.add(new, key: key, gid: gid, by: authority)
    }

    /// What new downloads are completed and admitted with now.
    var additionRules: AdditionRules { parts.additionRules }

    /// Adds a part of a list, except for the lines that are added already; returns how far the
    /// import of the list is.
    func add(_ part: ImportPart, to list: ImportedList) throws(DownloadError) -> WireImport {
        try importer.add(part, to: list)
    }

    /// Performs an action on all downloads of a selection, or on none.
    ///
    /// The files of downloads that do not run are removed when this returns; the outcome names
    /// those that remain.
    func act(
        _ action: QueueAction,
        on selection: Selection,
        by authority: Authority
    ) async throws(DownloadError) -> WireOutcome {
        let rules = parts.settings.networkRules
        var (outcome, jobs) = try actions.act(action, on: selection, by: authority, rules)
        parts.waiting.hold(jobs.map(\.download))
        let remaining = await carryOut(jobs)
        if !remaining.isEmpty { outcome.notRemoved = remaining }
        return outcome
    }

    /// Queues failed downloads again; those that have not failed with this error are left out, and
    /// those that the authority may not resume.
    ///
    /// `ids` are ascending.
    func retry(
        _ ids: [Int64],
        failedWith kind: ErrorCode,
        by authority: Authority
    ) throws(DownloadError) -> WireOutcome {
        try AccessRules.check(.manageFleet, by: authority)
        return try actions.retry(ids, failedWith: kind, by: authority, parts.settings.networkRules)
    }

    /// Lets a node finish what it has begun, and take nothing more; it notices that itself.
    ///
    /// - Throws: `.conflict` if only this daemon uses the queue, `.notFound` if there is no such node.
    func drain(_ name: String, by authority: Authority) throws(DownloadError) {
        try AccessRules.check(.manageFleet, by: authority)
        try store.writeInAnyCase { transaction in
            guard transaction.isShared else {
                throw Conflict.error(
                    "no other daemon can take over the downloads of this one",
                    advice: "use 'pawl daemon stop': the next start resumes them"
                )
            }
            let node = try transaction.nodes.list().first { row in
                row.node.name.isExactly(name) && (row.state == .alive || row.state == .draining)
            }
            guard let node else { throw DownloadError.noNode(name) }
            try transaction.nodes.drain(node.node.id)
        }
    }

    /// Puts back what the newest removal has removed.
    func undoRemoval(by authority: Authority) throws(DownloadError) -> WireOutcome {
        try undo.undo(by: authority, parts.settings.networkRules)
    }

    /// Changes all downloads of a selection, or none.
    func change(
        _ selection: Selection,
        _ changes: DownloadChanges,
        by authority: Authority
    ) throws(DownloadError) -> WireOutcome {
        try editor.change(selection, changes, by: authority, parts.settings.networkRules)
    }

    /// Returns the data to resume a download elsewhere, after its run has ended; `nil` if nothing
    /// was received.
    ///
    /// - Throws: `.notAllowed`, and `.notFound` if there is no such download.
    func resumeData(
        of id: Int64,
        by authority: Authority
    ) async throws(DownloadError) -> ResumeData? {
        try AccessRules.check(.readSecrets, by: authority)
        let row = try store.write { try $0.downloads.find(id) }
        guard let row else { throw DownloadError.noDownload(id) }
        let task = running[id]
        if row.state != .running { await task?.waitForEndIgnoringCancellation() }
        let (path, request) = try store.write { transaction in
            (
                try transaction.downloads.find(id)?.path,
                try transaction.requests.request(of: id)
            )
        }
        // The store may not have recorded a run that has just ended.
        guard let path = running.path(of: id) ?? path, let request else { return nil }
        let checked = try WireJSON.decode(NewDownload.self, from: request).checked()
        return await session.leftovers.resumeData(
            ofFile: path,
            DownloadRequest(checked.url) { $0 = checked.settings }
        )
    }

    /// Returns what adds downloads again as they are now.
    func requests(
        _ query: ListQuery,
        by authority: Authority
    ) throws(DownloadError) -> WireRequestPage {
        try AccessRules.check(.readSecrets, by: authority)
        return try store.write { try StoredRequests($0).page(query) }
    }

    /// Returns the response with which the server refused a download of a session; `nil` if none
    /// is kept.
    func errorResponse(
        of id: Int64,
        by authority: Authority
    ) throws(DownloadError) -> WireErrorResponse? {
        try AccessRules.check(.readSecrets, by: authority)
        return try store.write { transaction in
            guard try transaction.downloads.find(id) != nil else {
                throw DownloadError.noDownload(id)
            }
            return try transaction.errorResponses.find(id)
        }
    }

    // MARK: - Feeds

    func addFeed(
        _ new: NewFeed,
        key: String?,
        by authority: Authority
    ) throws(DownloadError) -> WireFeed {
        try feeds.add(new, key: key, by: authority)
    }

    func changeFeed(
        _ id: Int64,
        _ changes: FeedChanges,
        by authority: Authority
    ) throws(DownloadError) -> WireFeed {
        try feeds.change(id, changes, by: authority)
    }

    func removeFeed(_ id: Int64, by authority: Authority) throws(DownloadError) {
        try feeds.remove(id, by: authority)
    }

    /// Throws `.notFound` if there is no such feed, `.notAllowed` if a check is refused.
    func authorizeFeedCheck(_ id: Int64, by authority: Authority) throws(DownloadError) {
        try feeds.authorizeCheck(id, by: authority)
    }

    /// Returns the download that each item of a feed becomes.
    func feedTemplate(
        for feed: FeedTable.Row,
        _ reading: FeedReading
    ) throws(DownloadError) -> NewDownload {
        try feedRecorder.template(for: feed, reading)
    }

    /// Adds some new downloads of a feed; returns `nil` if the feed is another one now.
    func record(
        _ batch: FeedFindings.Batch,
        of feed: FeedTable.Row
    ) throws(DownloadError) -> [Int64]? {
        try feedRecorder.record(batch, of: feed)
    }

    func finishFeedCheck(
        _ findings: FeedFindings,
        of feed: FeedTable.Row,
        jitter: Double
    ) throws(DownloadError) -> WireFeed {
        try feedRecorder.finish(findings, of: feed, jitter: jitter)
    }

    /// Makes the next check due after a check of a feed that was changed meanwhile.
    func abandonFeedCheck(of feed: FeedTable.Row) throws(DownloadError) -> WireFeed {
        try feedRecorder.abandon(feed)
    }

    func failFeedCheck(
        _ error: DownloadError,
        of feed: FeedTable.Row,
        jitter: Double
    ) throws(DownloadError) -> WireFeed {
        try feedRecorder.fail(error, of: feed, jitter: jitter)
    }

    // MARK: - Settings and health

    /// The settings as they are stored.
    var storedSettings: DaemonSettings { parts.settings.current }

    /// Returns the settings with their defaults, and the rate limit of this moment.
    func shownSettings(to authority: Authority) -> DaemonSettings {
        parts.settings.shown(to: authority)
    }

    func change(
        _ change: DaemonSettingsChange,
        by authority: Authority
    ) throws(DownloadError) -> DaemonSettings {
        try parts.settings.change(change, by: authority)
    }

    /// Runs work that waits for the store on the thread of the queue, which may block.
    func waiting<Value: Sendable>(
        for work: @Sendable () throws(DownloadError) -> Value
    ) throws(DownloadError) -> Value {
        try work()
    }

    /// Whether downloads are run and commands carried out: the daemon does not shut down.
    var isOpen: Bool { !parts.control.isShuttingDown }

    /// Throws if the queue cannot be written.
    func checkHealth() throws(DownloadError) { try health.check() }

    // MARK: - Sessions

    func register(
        _ registration: SessionRegistration,
        by authority: Authority
    ) throws(DownloadError) -> WireSession {
        try parts.sessions.register(registration, by: authority)
    }

    func acknowledge(
        _ acknowledgement: Acknowledgement,
        by authority: Authority
    ) throws(DownloadError) {
        try parts.sessions.acknowledge(acknowledgement, by: authority)
    }

    /// Throws `.notFound` if there is no such session, `.notAllowed` if the demand is refused.
    func checkSession(
        _ identifier: String,
        _ demand: Demand,
        by authority: Authority
    ) throws(DownloadError) {
        try parts.sessions.check(identifier, demand, by: authority)
    }

    func forgetSession(_ identifier: String, by authority: Authority) throws(DownloadError) {
        try parts.sessions.forget(identifier, by: authority)
    }

    // MARK: - Labels

    func setLabel(
        _ settings: LabelSettings,
        by authority: Authority
    ) throws(DownloadError) -> WireLabel {
        try parts.labels.set(settings, by: authority, parts.settings.networkRules)
    }

    /// Removes a label; its downloads continue without it.
    ///
    /// A label may have any number of downloads: other changes take place between the parts of the
    /// work. If it fails, the label keeps the other downloads, and can be removed again.
    func removeLabel(_ name: String, by authority: Authority) async throws(DownloadError) {
        let newest = try parts.labels.beginRemoval(of: name, by: authority)
        guard let newest else { return }
        while try parts.labels.takeFromSome(name, upTo: newest) { await Task.yield() }
    }

    // MARK: - Hooks and commands

    /// Records the end of a hook's job.
    func ended(_ entry: HookTable.Entry, _ end: HookTable.End) throws(DownloadError) {
        try store.writeInAnyCase { try $0.hooks.end(entry, end) }
    }

    /// Returns the commands of sessions whose downloads have all ended.
    func relaunches() throws(DownloadError) -> [SessionTable.Relaunch] {
        try store.write { try $0.sessions.relaunches() }
    }

    func relaunched(_ relaunch: SessionTable.Relaunch) throws(DownloadError) {
        try store.write { try $0.sessions.setRelaunched(relaunch) }
    }
}
