internal import struct FoundationEssentials.URL
internal import Logging
package import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Runs one download: carries out the planner's actions and reports events to it.
///
/// All of it runs in the task that calls `run()`. Only the store, the cursors and the mailbox are
/// shared with other threads.
package final class DownloadDriver {
    let job: DownloadJob
    let engine: Engine
    let monitor: DownloadMonitor
    let whenFetched: @Sendable () -> Void
    let mailbox = Mailbox<DriverMessage>()
    let context: DownloadContext
    let stop: CancellationToken
    let resolver: TargetResolver
    var planner: DownloadPlanner
    var logger: Logger

    var transfers: [TransferID: RunningTransfer] = [:]
    /// The heads that wait until the store is opened.
    var heads: [TransferID: ResponseHead] = [:]
    /// The bodies that were received in memory before the store was opened.
    var collected: [TransferID: SmallBody] = [:]
    /// The bytes that an earlier run left in the open store, until a byte of this run follows them.
    var untouched: StartingPoint?
    /// Whether the store belongs to another download and contains no byte of this one.
    var isBorrowing = false
    /// Another tool's bytes that the user wants to resume from.
    var adopted: RangeSet?
    /// A path at which no file existed when the download began.
    var absent: FilePath?
    var ticket: HostBudget.Ticket = 0
    private var alarm: AlarmClock.Ticket = 0
    var schedule = CheckpointSchedule()
    let requests: DownloadRequests
    let finisher: FileFinisher
    let digests: FileDigester
    let syncer: LatestRequestWorker<SyncRequest>
    /// Starts writing to the disk early, so that the disk is not idle until the first sync.
    let flusher: LatestRequestWorker<PartialStore>
    var isLengthVerified = true
    /// Whether requests may share a connection.
    ///
    /// It becomes `false` when one fails or has to be ended.
    var mayMultiplex = true
    /// The host whose slot is a stream instead of a connection.
    var streamHost: String?
    /// Whether the download waits for the network, as last reported.
    var isWaitingForConnectivity = false
    var outcome: Result<DownloadedFile, DownloadError>?
    /// The number of failed syncs.
    ///
    /// It never falls: with a bad sector, syncs of other bytes succeed in between.
    var failedSyncs = 0
    /// The store's epoch in which all written bytes count.
    var trustedEpoch = 0
    /// Whether no bytes may be claimed: a sync failed, and the transfers that are being ended may
    /// still write.
    var isDistrusting = false

    struct SyncRequest: Sendable {
        var written: RangeSet
        var epoch: Int
    }

    struct RunningTransfer {
        let transfer: any Transfer
        let cursor: TransferCursor
        /// Whether the transfer was asked to pass on its bytes in memory.
        ///
        /// Until they have a file, only the planner resumes it.
        var awaitsFile = false
    }

    /// Creates a driver.
    ///
    /// `whenFetched` is called when the network is no longer needed and the file has not been named
    /// yet; not in every case.
    package init(
        _ job: DownloadJob,
        engine: Engine,
        monitor: DownloadMonitor,
        whenFetched: @escaping @Sendable () -> Void = {}
    ) {
        self.whenFetched = whenFetched
        self.job = job
        self.engine = engine
        self.monitor = monitor
        let mailbox = mailbox
        context = DownloadContext(
            mailbox: mailbox,
            store: StoreBox(),
            unclaimed: UnclaimedBytes { mailbox.post(.checkpointDue) },
            limits: TransferLimits(
                all: engine.limit,
                group: job.groupLimit,
                own: job.limit
                    ?? RateLimitClock(limitBytesPerSecond: job.settings.limitBytesPerSecond)
            ),
            time: engine.time,
            smallBodies: job.takesSmallBodies ? engine.smallBodies : nil,
            takesServerDigests: job.settings.checksum == .automatic,
            control: job.control
        )
        stop = CancellationToken(after: job.settings.maximumDuration, engine.time)
        requests = DownloadRequests(job, engine: engine, limits: context.limits)
        finisher = FileFinisher(job, engine: engine, stop: stop)
        resolver = TargetResolver(job, engine.storeSettings, stop)
        digests = FileDigester(policy: job.settings.checksum, pool: engine.digests)
        let box = context.store
        syncer = LatestRequestWorker(pool: engine.syncs) {
            (request: SyncRequest) throws(DownloadError) in
            try box.current?.sync(written: request.written, epoch: request.epoch)
        } done: { request, failure in
            mailbox.post(.synced(epoch: request.epoch, failure))
        }
        flusher = LatestRequestWorker(pool: engine.syncs) { store in
            store.startWriteback()
        } done: { _, _ in
        }
        planner = DownloadPlanner(
            url: job.url,
            mirrors: job.mirrors.map(\.url),
            settings: job.settings,
            seed: job.seed
        )
        logger = engine.logger
        logger[metadataKey: "url"] = .stringConvertible(ShownURL(url: job.url))
    }

    /// Runs the download to its end.
    ///
    /// Cancelling the task keeps the bytes received so far and throws `.interrupted`.
    package func run() async throws(DownloadError) -> DownloadedFile {
        let (mailbox, stop) = (mailbox, stop)
        job.control?.attach { command in
            if command == .stop { stop.cancel() }
            mailbox.post(command.message)
        }
        defer { job.control?.detach() }
        monitor.began(job)
        ticket = engine.budgets.enroll { mailbox.post(.slotGranted(host: $0)) }
        defer { engine.budgets.resign(ticket) }
        alarm = engine.alarms.enroll { mailbox.wake() }
        defer { engine.alarms.resign(alarm) }
        let observation = observeNetwork()
        defer { observation?.end() }
        let result = await withTaskCancellationHandler {
            let result = await supervise()
            await flusher.finish()
            await syncer.finish()
            await digests.finish()
            return result
        } onCancel: {
            stop.cancel()
            mailbox.post(.cancelled)
        }
        monitor.resuming.ended()
        switch result {
        case .success(let file):
            monitor.finished(file)
            return file
        case .failure(let error): throw monitor.completed(error)
        }
    }

    private func supervise() async -> Result<DownloadedFile, DownloadError> {
        var unread: [DriverMessage] = []
        await attempt { () async throws(DownloadError) in try await self.begin() }
        while outcome == nil {
            engine.alarms.set(alarm, at: nextWake)
            await mailbox.waitIgnoringCancellation()
            var messages = mailbox.take()[...]
            while outcome == nil, let message = messages.popFirst() { await receive(message) }
            if outcome == nil { await passTime() }
            unread = Array(messages)
        }
        await shutDown(unread)
        return outcome ?? .failure(DownloadError(.unknown, "the download ended without a reason"))
    }

    /// Runs `body`, and ends the download with any error that it throws.
    func attempt(_ body: () async throws(DownloadError) -> Void) async {
        do throws(DownloadError) { try await body() } catch { fail(error) }
    }

    func fail(_ error: DownloadError) {
        if outcome == nil { outcome = .failure(error) }
    }

    private var nextWake: Moment {
        let now = engine.time.now()
        let times = [
            planner.wakeAt(now), stop.deadline, engine.budgets.nextOpening,
            context.store.current == nil ? nil : schedule.nextDue,
        ]
        return times.compactMap { $0 }.min() ?? .distantFuture
    }

    private func begin() async throws(DownloadError) {
        monitor.entered(.connecting)
        let resolver = resolver
        monitor.named(resolver.expected.lastComponent?.string ?? "")
        // A partial file on another file system is copied. Checkpoints must not wait for that.
        let pool = job.resume == nil ? engine.disk : engine.syncs
        let found = try await pool.run { () throws(DownloadError) in
            try resolver.findBeforeAsking()
        }
        switch found {
        case .nothing(let notes, let path):
            report(notes)
            absent = path
            await tell(.started(nil))
        case .created, .undecided, .likely: break
        case .alreadyThere(let path): try await finishEarly(path)
        case .resumable(let store, let recovery):
            try await adopt(store, recovery)
            try checkResumable(recovery)
            await tell(.started(untouched))
        }
    }

    /// Throws if the download may only be resumed and cannot be.
    private func checkResumable(_ recovery: Recovery) throws(DownloadError) {
        guard job.resume?.fallback == .fail else { return }
        guard untouched != nil, planner.canResume(recovery.representation) else {
            throw DownloadError(.partialFileChanged)
        }
    }

    // MARK: - Messages

    private func receive(_ message: DriverMessage) async {
        switch message {
        case .headJudged(let id, let verdict, let head):
            logger.debug("\(id) \(head.status) \(head.reason.sanitized) from \(head.url.redacted)")
            heads[id] = head
            noteHead(head, verdict)
            if case .redirect = verdict { monitor.redirected(from: head.url) }
            await tell(.headJudged(id, verdict, connectTime: head.connectTime))
        case .transferEnded(let id, let end, let failure):
            await ended(id, end, failure)
        case .seamDiffered(let id): await tell(.seamDiffered(id))
        case .arrived(let id, let body): await arrived(id, body)
        case .overdue(let id, let body): await show(id, body)
        case .brokeOff(let id, let body, let end): await brokeOff(id, body, end)
        case .slotGranted(let host): await tell(.slotGranted(host: host))
        case .checkpointDue: await attempt(saveCheckpoint)
        case .synced(let epoch, let failure): await synced(epoch, failure)
        case .released: releaseHeld()
        case .limitChanged: endPauses()
        case .networkChanged(let path): await tell(.networkChanged(path))
        case .cancelled: fail(CancellationToken.cancelled)
        }
    }

    func ended(
        _ id: TransferID,
        _ end: TransferEnd,
        _ failure: DownloadError?
    ) async {
        if let failure {
            // Its slot is released together with those of the others.
            mailbox.post(.transferEnded(id, end, failure))
            return fail(failure)
        }
        guard let running = transfers.removeValue(forKey: id) else { return }
        monitor.transferEnded(end, running.cursor)
        heads[id] = nil
        if case .failed = end.outcome { mayMultiplex = false }
        monitor.bytes.ended(id)
        logger.debug("\(id) ended at \(running.cursor.position): \(end.outcome)")
        await lookAtNetwork(after: end.outcome)
        await tell(.transferEnded(id, offset: running.cursor.countedEnd, end.outcome))
    }

    private func passTime() async {
        if stop.isLate { return fail(CancellationToken.late) }
        let now = engine.time.now()
        engine.budgets.distribute()
        for (id, running) in transfers
        where running.cursor.isOverdue(at: now) && !running.cursor.isHeld && !running.awaitsFile {
            transfers[id]?.awaitsFile = true
            running.transfer.nudge()
        }
        if let wake = planner.wakeAt(lastTick), now >= wake {
            lastTick = now
            let samples = transfers.map { id, running in
                TransferSample(
                    id: id,
                    offset: running.cursor.countedEnd,
                    skippedBytes: running.cursor.skippedBytes,
                    isPaused: running.cursor.isPaused(at: now)
                )
            }
            let work = load.observe(engine.transport.workTimes)
            await tell(.ticked(samples, work: work, isSuspended: isSuspended))
        }
        if let due = schedule.nextDue, now >= due { await attempt(saveCheckpoint) }
    }

    var isSuspended: Bool { job.control?.isSuspended == true }

    /// Ends the pauses, whose lengths depend on a limit that has changed.
    private func endPauses() {
        let now = engine.time.now()
        for running in transfers.values
        where running.cursor.isPaused(at: now) && !running.cursor.isHeld {
            running.cursor.pause(until: now)
            if !running.awaitsFile { running.transfer.resume() }
        }
    }

    private var lastTick = Moment.zero
    private var load = ThreadLoad()

    /// Reports an event to the planner and carries out the resulting actions.
    func tell(_ event: DownloadEvent) async {
        var actions = planner.handle(event, at: engine.time.now())[...]
        while let action = actions.popFirst(), outcome == nil {
            actions.append(contentsOf: await perform(action))
        }
        switch event {
        case .started, .headJudged: noteLearned()
        default: break
        }
        showWaiting()
    }

    func noteLearned() {
        monitor.resuming.learned(planner.representation, acceptsRanges: planner.acceptsRanges)
    }
}

extension DownloadControl.Command {
    fileprivate var message: DriverMessage {
        switch self {
        case .goOn: .released
        case .limitChanged: .limitChanged
        case .stop: .cancelled
        }
    }
}

/// A URL for the log, formatted only if it is written.
private struct ShownURL: CustomStringConvertible, Sendable {
    let url: URL

    var description: String { url.redacted }
}
