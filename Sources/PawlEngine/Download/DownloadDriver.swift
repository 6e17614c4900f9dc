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
    private var ticket: HostBudget.Ticket = 0
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
    private var mayMultiplex = true
    /// The host whose slot is a stream instead of a connection.
    private var streamHost: String?
    /// Whether the download waits for the network, as last reported.
    private var isWaitingForConnectivity = false
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

    private func noteLearned() {
        monitor.resuming.learned(planner.representation, acceptsRanges: planner.acceptsRanges)
    }

    // MARK: - Actions of the planner

    /// Carries out one action.
    ///
    /// Returns the actions that follow from it immediately.
    func perform(_ action: DownloadAction) async -> [DownloadAction] {
        switch action {
        case .requestSlot(let host):
            let isFirst = transfers.isEmpty
            if isFirst, takeStream(host) { return follow(.slotGranted(host: host)) }
            if engine.budgets.request(host, ticket, isFirst: isFirst) {
                return follow(.slotGranted(host: host))
            }
        case .withdrawSlotRequest(let host): engine.budgets.withdraw(host, ticket)
        case .releaseSlot(let host): release(host)
        case .open(let order): open(order)
        case .setEnd(let id, let end, let isProven):
            transfers[id]?.cursor.currentEdge = TransferCursor.Edge(end: end, isProven: isProven)
        case .close(let id):
            mayMultiplex = false
            transfers[id]?.transfer.cancel()
        case .resumeTransfer(let id, let skipUntil, let comparing):
            join()
            transfers[id]?.awaitsFile = false
            // Bytes received in memory are not compared: they are written from the first byte.
            let start = comparing && collected[id] != nil ? 0 : skipUntil
            if comparing { transfers[id]?.cursor.compares() }
            transfers[id]?.cursor.begin(at: start)
            await writeCollected(id, from: start)
            // Somebody who sees the bytes may ask at once whether they can be resumed.
            noteLearned()
            transfers[id]?.transfer.resume()
            monitor.agreed()
            monitor.entered(.receiving)
        case .openStore(let id, let representation):
            return await openStore(for: id, representation)
        case .resetStore(let id, let representation):
            return await resetStore(for: id, representation)
        case .restrictLedger(let durable): restrict(to: durable)
        case .updateRepresentation(let representation): await learn(representation)
        case .backOffHost(let host, let duration): engine.budgets.close(host, for: duration)
        case .log(let text): logger.notice("\(text.sanitized)")
        case .notice(let text): report([text])
        case .complete(let total): await complete(total)
        case .fail(let error): fail(error)
        }
        return []
    }

    /// Takes a stream of a shared connection for the first request.
    ///
    /// It does not count as one of the host's connections.
    private func takeStream(_ host: String) -> Bool {
        guard mayMultiplex, streamHost == nil, !context.limits.isLimited,
            planner.representation == nil,
            engine.budgets.requestStream(host)
        else { return false }
        streamHost = host
        return true
    }

    func release(_ host: String) {
        guard streamHost == host else { return engine.budgets.release(host) }
        streamHost = nil
        engine.budgets.releaseStream(host)
    }

    func follow(_ event: DownloadEvent) -> [DownloadAction] {
        planner.handle(event, at: engine.time.now())
    }

    private func open(_ order: TransferOrder) {
        logger.debug(
            "\(order.id) requests \(order.range?.description ?? "all") of \(order.url.redacted)"
        )
        if order.pinned != nil { join() }
        let cursor = TransferCursor(start: order.start, end: order.end)
        if order.comparesBytes { cursor.compares() }
        if order.isEndProven { cursor.currentEdge.isProven = true }
        monitor.bytes.opened(order.id, cursor, from: Self.shownHost(of: order.url))
        let sink = SegmentSink(order: order, cursor: cursor, context: context)
        var request = requests.request(for: order)
        request.multiplexes = multiplexes(order)
        let transfer = engine.transport.start(request, sink: sink)
        transfers[order.id] = RunningTransfer(transfer: transfer, cursor: cursor)
        if context.store.current != nil { monitor.entered(.receiving) }
    }

    /// The host without any part of the URL that could be a secret, written as browsers do.
    private static func shownHost(of url: URL) -> String? {
        guard let host = url.shownHost else { return nil }
        let usual = url.scheme?.lowercased() == "https" ? 443 : 80
        let port = url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        return (host + port).sanitized(atMost: 260)
    }

    /// Whether the request may share a connection.
    ///
    /// If other downloads use the same host, first requests share one, because most files are
    /// small.
    ///
    /// Segments have connections of their own, and so have all transfers if a limit slows single
    /// transfers. A request that failed is not repeated over a shared connection.
    private func multiplexes(_ order: TransferOrder) -> Bool {
        guard mayMultiplex, order.pinned == nil, order.range == nil, !context.limits.isLimited
        else {
            return false
        }
        let host = HostBudget.name(of: order.url)
        return streamHost == host || engine.budgets.isShared(host)
    }

    /// Records what a head reports besides the bytes: whether the length can be verified, and a
    /// digest.
    func noteHead(_ head: ResponseHead, _ verdict: HeadVerdict) {
        if !head.protocolVersion.hasPrefix("HTTP/1") {
            engine.budgets.noteMultiplexing(HostBudget.name(of: head.url))
        }
        switch verdict {
        case .pin, .whole:
            monitor.answered(head, isFirst: verdict.isPin && untouched == nil)
            // HTTP/2 and later frame every body, so that a truncated one is detected.
            isLengthVerified =
                head["Content-Length"] != nil || head["Transfer-Encoding"] != nil
                || !head.protocolVersion.hasPrefix("HTTP/1")
        case .write(_, let representation):
            monitor.answered(head)
            monitor.agreed()
            digests.note(representation)
        default: break
        }
    }

    // MARK: - The network

    /// Starts observing the network; `nil` if the download does not depend on it.
    private func observeNetwork() -> NetworkObservation? {
        let settings = job.settings
        guard settings.waitsForConnectivity || !settings.allowsExpensiveNetwork else { return nil }
        let mailbox = mailbox
        return engine.network.observe(asksWhetherMetered: !settings.allowsExpensiveNetwork) {
            mailbox.post(.networkChanged($0))
        }
    }

    /// Checks the network after a failed transfer, which may end before the lost route is reported.
    private func lookAtNetwork(after outcome: TransferOutcome) async {
        guard job.settings.waitsForConnectivity, case .failed = outcome else { return }
        let network = engine.network
        do throws(DownloadError) {
            let path = try await engine.disk.run { () throws(DownloadError) in network.look() }
            await tell(.networkChanged(path))
        } catch {
            // The engine is shutting down, and the download ends with it.
        }
    }

    /// Shows and reports that the download waits, or that it has resumed.
    private func showWaiting() {
        let isWaiting = planner.isWaitingForConnectivity
        if isWaiting {
            monitor.entered(.waitingForConnectivity)
        } else if planner.isWaitingToRetry {
            monitor.entered(.retrying)
        } else if isWaitingForConnectivity {
            let isReceiving = context.store.current != nil && !transfers.isEmpty
            monitor.entered(isReceiving ? .receiving : .connecting)
        }
        guard isWaiting != isWaitingForConnectivity else { return }
        isWaitingForConnectivity = isWaiting
        job.connectivityChanged?(isWaiting)
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
