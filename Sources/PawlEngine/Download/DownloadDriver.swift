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
    private let parts: DownloadParts
    private let whenFetched: @Sendable () -> Void
    private let store: DownloadStore
    private var planner: DownloadPlanner
    private var transfers = RunningTransfers()
    /// What it took over; `nil` if it began the download itself.
    private var handover: Handover?
    private var load = ThreadLoad()
    private var hosts: HostAcquaintance
    private var alarm: AlarmClock.Ticket = 0
    private var lastTick = Moment.zero

    /// The heads that wait until the store is opened.
    private var heads: [TransferID: ResponseHead] = [:]
    /// The bodies that were received in memory before the store was opened.
    private var collected: [TransferID: SmallBody] = [:]
    /// A path at which no file existed when the download began.
    private var absent: FilePath?
    private var isLengthVerified = true
    private var waiting: WaitingReport
    private var outcome: Result<DownloadedFile, DownloadError>?

    /// Creates a driver.
    ///
    /// `whenFetched` is called at most once, as soon as the network is no longer needed and before
    /// the file is named. It is called only for a file that was received completely in memory,
    /// while there is memory for more such files.
    package convenience init(
        _ job: DownloadJob,
        engine: Engine,
        monitor: DownloadMonitor,
        whenFetched: @escaping @Sendable () -> Void = {}
    ) {
        self.init(DownloadParts(job, engine, monitor), nil, whenFetched)
    }

    /// Creates a driver that continues where the lane for small files stopped.
    package convenience init(
        _ handover: Handover,
        whenFetched: @escaping @Sendable () -> Void = {}
    ) {
        self.init(handover.parts, handover, whenFetched)
    }

    private init(
        _ parts: DownloadParts,
        _ handover: Handover?,
        _ whenFetched: @escaping @Sendable () -> Void
    ) {
        (self.parts, self.handover, self.whenFetched) = (parts, handover, whenFetched)
        store = DownloadStore(parts, found: handover?.found)
        hosts = HostAcquaintance(parts)
        let job = parts.job
        planner = DownloadPlanner(
            url: job.url,
            mirrors: job.mirrors.map(\.url),
            settings: job.settings,
            seed: job.seed,
            window: job.output.map { _ in ReaderPosition.window }
        )
        waiting = WaitingReport(parts)
    }

    private var job: DownloadJob { parts.job }
    private var engine: Engine { parts.engine }
    private var monitor: DownloadMonitor { parts.monitor }
    private var mailbox: DriverMailbox { parts.mailbox }
    private var slots: DownloadSlots { parts.slots }
    private var stop: CancellationToken { parts.stop }
    private var logger: Logger { parts.logger }

    /// Runs the download to its end.
    ///
    /// Cancelling the task keeps the bytes received so far and throws `.interrupted`.
    package func run() async throws(DownloadError) -> DownloadedFile {
        let (parts, mailbox) = (parts, mailbox)
        if handover == nil { parts.begin() }
        defer { parts.end() }
        alarm = engine.alarms.enroll { mailbox.wake() }
        let limit = parts.limitWaits()
        defer { for ticket in [alarm, limit] { engine.alarms.resign(ticket) } }
        let observation = engine.observeNetwork(for: job.settings) { path in
            mailbox.post(.networkChanged(path))
        }
        defer { observation?.end() }
        let search = store.digestSearch
        // The end of this method ends it.
        async let _: Void? = search?.run()
        let work = job.target?.work
        async let _: Void? = work?.run()
        let result = await withTaskCancellationHandler {
            let result = await supervise()
            await store.finishWork()
            await work?.end()
            return result
        } onCancel: {
            parts.cancel()
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
    private func attempt(_ body: () async throws(DownloadError) -> Void) async {
        do throws(DownloadError) { try await body() } catch { fail(error) }
    }

    private func fail(_ error: DownloadError) {
        // A wait that was ended does not know why.
        let reason = error.code == .interrupted ? stop.reason ?? error : error
        if outcome == nil { outcome = .failure(monitor.withResponse(reason)) }
    }

    private var nextWake: Moment {
        let times = [
            planner.wakeAt(engine.time.now()), stop.deadline, engine.budgets.nextOpening,
            store.nextCheckpoint, slots.delayedUntil,
        ]
        return times.compactMap { $0 }.min() ?? .distantFuture
    }

    private func begin() async throws(DownloadError) {
        if let failure = handover?.failure { throw failure }
        // A download that was stopped before it began requests nothing.
        if handover?.found == nil { try stop.check() }
        monitor.entered(.connecting)
        monitor.named(store.expectedName)
        switch try await store.findBeforeAsking() {
        case .nothing(let notes, let path):
            logger.report(notes)
            absent = path
            await report(.started(nil))
        case .created: break
        case .alreadyThere(let file): finishEarly(file)
        case .resumable(let file, let recovery):
            try await store.adopt(file, recovery)
            try store.checkResumable(planner.canResume(recovery.representation))
            let (start, former) = (store.startingPoint, store.former)
            await report(.started(start, former: former, grid: store.grid))
        }
    }

    // MARK: - Messages

    private func receive(_ message: DriverMessage) async {
        switch message {
        case .headJudged(let id, let verdict, let head):
            logger.debug("\(id) \(head.status) \(head.reason.sanitized) from \(head.url.redacted)")
            heads[id] = head
            noteHead(head, verdict)
            if case .redirect = verdict { monitor.redirected(head) }
            let known = await hosts.meet(head, verdict, at: engine.time.now())
            let mirrors = store.knowsDigest(after: verdict) ? parts.mirrors(in: head) : []
            if !mirrors.isEmpty { await report(.mirrorsNamed(mirrors)) }
            let (time, isFull) = (head.connectTime, slots.refuses(verdict, head, transfers))
            await report(
                .headJudged(id, verdict, connectTime: time, known: known, isSurplus: isFull)
            )
        case .errorBody(let head, let body, let isWhole): monitor.refused(head, body, isWhole)
        case .transferEnded(let id, let end, let failure):
            await ended(id, end, failure)
        case .seamDiffered(let id): await report(.seamDiffered(id))
        case .digestFound(let digest, let urls): await report(.digestFound(digest, urls))
        case .arrived(let id, let body): await arrived(id, body)
        case .overdue(let id, let body): await show(id, body)
        case .brokeOff(let id, let body, let end): await brokeOff(id, body, end)
        case .slotGranted(let host): await report(.slotGranted(host: host))
        case .checkpointDue: await attempt(saveCheckpoint)
        case .synced(let epoch, let failure): await synced(epoch, failure)
        case .targetFailed(.failed(let error)): fail(error)
        case .targetFailed(.lost(let error)): await lost(error)
        case .outputMoved(let failure): await outputMoved(failure)
        case .released: releaseHeld()
        case .limitChanged:
            transfers.endPauses(at: engine.time.now())
            slots.limitChanged(at: engine.time.now())
        case .networkChanged(let path): await report(.networkChanged(path))
        case .cancelled: fail(CancellationToken.cancelled)
        }
    }

    private func ended(_ id: TransferID, _ end: TransferEnd, _ failure: DownloadError?) async {
        if let failure {
            // The end of the download releases the slots of all transfers, so this one's end stays
            // in the mailbox for it.
            mailbox.post(.transferEnded(id, end, failure))
            return fail(failure)
        }
        guard let (cursor, host) = transfers.remove(id) else { return }
        monitor.transferEnded(end, cursor)
        let received = heads.removeValue(forKey: id).map { _ in cursor.receivedBytes }
        let isSurplus = slots.ended(end.outcome, host, received) && transfers.isEmpty
        monitor.bytes.ended(id)
        logger.debug("\(id) ended at \(cursor.position): \(end.outcome)")
        await checkNetwork(after: end.outcome)
        let offset = cursor.countedEnd
        await report(.transferEnded(id, offset: offset, end.outcome, isSurplus: isSurplus))
    }

    private func synced(_ epoch: Int, _ failure: DownloadError?) async {
        await attempt { () async throws(DownloadError) in
            guard let durable = try self.store.synced(epoch, failure) else { return }
            await self.report(.syncFailed(durable: durable))
        }
    }

    private func lost(_ error: DownloadError) async {
        if let durable = store.lost(error) { await report(.syncFailed(durable: durable)) }
    }

    private func outputMoved(_ failure: DownloadError?) async {
        if let failure { return fail(failure) }
        releaseHeld()
        if let reader = parts.context.reader { await report(.readerReached(reader.offset)) }
    }

    private func passTime() async {
        if stop.isLate { return fail(CancellationToken.late) }
        let now = engine.time.now()
        engine.budgets.distribute()
        if let host = slots.requestDelayed(at: now) { await report(.slotGranted(host: host)) }
        transfers.requestOverdueBytes(at: now)
        if let wake = planner.wakeAt(lastTick), now >= wake {
            lastTick = now
            let work = load.observe(engine.transport.workTimes)
            let samples = transfers.samples(at: now)
            await report(.ticked(samples, work: work, isSuspended: isSuspended))
        }
        if let due = store.nextCheckpoint, now >= due { await attempt(saveCheckpoint) }
        store.passOn()
    }

    private var isSuspended: Bool { job.control?.isSuspended == true }

    /// Reports an event to the planner and carries out the resulting actions.
    private func report(_ event: DownloadEvent) async {
        var actions = follow(event)[...]
        while let action = actions.popFirst(), outcome == nil {
            actions.append(contentsOf: await perform(action))
        }
        switch event {
        case .started, .headJudged: noteLearned()
        default: break
        }
        waiting.show(planner, isReceiving: store.isOpen && !transfers.isEmpty)
    }

    private func noteLearned() {
        monitor.resuming.learned(planner.representation, acceptsRanges: planner.acceptsRanges)
    }

    private func follow(_ event: DownloadEvent) -> [DownloadAction] {
        // What the lane has done is planned as of that time, so that latencies are measured.
        planner.handle(event, at: handover?.requestedAt ?? engine.time.now())
    }

    // MARK: - Actions of the planner

    /// Carries out one action, and returns those that follow from it immediately.
    private func perform(_ action: DownloadAction) async -> [DownloadAction] {
        switch action {
        case .requestSlot(let host):
            let mayShare = planner.representation == nil
            let (isFirst, now) = (transfers.isEmpty, engine.time.now())
            if slots.request(host, isFirst: isFirst, mayShare: mayShare, at: now) {
                return follow(.slotGranted(host: host))
            }
        case .withdrawSlotRequest(let host): slots.withdraw(host)
        case .releaseSlot(let host): slots.release(host)
        case .open(let planned): open(planned)
        case .setEnd(let id, let end, let isProven):
            let edge = TransferCursor.Edge(end: end, isProven: isProven)
            transfers.cursor(of: id)?.currentEdge = edge
        case .close(let id):
            slots.stopSharing()
            transfers.cancel(id)
        case .resumeTransfer(let id, let skipUntil, let comparing):
            await resume(id, from: skipUntil, comparing)
        case .openStore(let id, let representation):
            return await openStore(for: id, representation)
        case .resetStore(let id, let representation):
            return await resetStore(for: id, representation)
        case .restrictLedger(let durable): store.restrict(to: durable)
        case .updateRepresentation(let representation):
            await attempt { () async throws(DownloadError) in
                try await self.store.learn(representation)
            }
        case .backOffHost(let host, let duration): engine.budgets.close(host, for: duration)
        case .log(let text): logger.notice("\(text.sanitized)")
        case .notice(let text): logger.report([text])
        case .startingOver(let reason): monitor.startingOver(reason)
        case .complete(let total): await complete(total)
        case .failDigest:
            await attempt { () async throws(DownloadError) in
                throw try await self.store.keepAsCorrupt()
            }
        case .fail(let error): fail(error)
        }
        return []
    }

    private func open(_ planned: PlannedTransfer) {
        if let (transfer, cursor) = handover?.takeTransfer(of: planned) {
            return transfers.add(planned, transfer, cursor)
        }
        if planned.pinned != nil { store.join() }
        let cursor = TransferCursor(start: planned.start, end: planned.end)
        if planned.comparesBytes { cursor.compares() }
        if planned.isEndProven { cursor.currentEdge.isProven = true }
        transfers.add(planned, parts.start(planned, cursor), cursor)
        if store.isOpen { monitor.entered(.receiving) }
    }

    /// Lets a transfer continue whose head was accepted.
    private func resume(_ id: TransferID, from skipUntil: Int64, _ comparing: Bool) async {
        store.join()
        transfers.getsFile(id)
        // Bytes received in memory are not compared: they are written from the first byte.
        let start = comparing && collected[id] != nil ? 0 : skipUntil
        if let cursor = transfers.cursor(of: id) {
            if comparing { cursor.compares() }
            cursor.begin(at: start)
            await writeCollected(id, cursor, from: start)
        }
        // Before the bytes are shown: a reader may ask for resume data at once.
        noteLearned()
        transfers.resume(id)
        monitor.agreed()
        monitor.entered(.receiving)
    }

    private func openStore(
        for id: TransferID,
        _ representation: Representation
    ) async -> [DownloadAction] {
        do throws(DownloadError) {
            let source = planner.sourceText(pinnedBy: id)
            let opening = try await store.open(heads[id], representation, source: source) {
                for action in self.follow(.responseDropped(id)) { _ = await self.perform(action) }
            }
            switch opening {
            case .open(let start): return follow(.storeOpened(id, start, grid: store.grid))
            case .alreadyThere(let file): finishEarly(file)
            case .nothing: break
            }
        } catch {
            fail(error)
        }
        return []
    }

    private func resetStore(
        for id: TransferID?,
        _ representation: Representation
    ) async -> [DownloadAction] {
        do throws(DownloadError) {
            let source = planner.sourceText(pinnedBy: id)
            try await store.startOver(
                for: representation,
                id.flatMap { heads[$0] },
                source: source
            )
            return follow(.storeReset(id, grid: store.grid))
        } catch {
            fail(error)
            return []
        }
    }

    /// Records what a head reports besides the bytes.
    private func noteHead(_ head: ResponseHead, _ verdict: HeadVerdict) {
        parts.note(head)
        switch verdict {
        case .pin, .whole:
            monitor.answered(head, isFirst: verdict.isPin && store.startingPoint == nil)
            isLengthVerified = BodyFraming.isVerified(head.fields, head.protocolVersion)
        case .write(_, let representation):
            monitor.answered(head)
            monitor.agreed()
            store.noteDigest(of: representation)
        default: break
        }
    }

    // MARK: - Checkpoints

    /// Whether a part of the file can be kept.
    ///
    /// Encoded bytes are kept only as a whole, so no checkpoint claims a part of them. Bytes for an
    /// output are not kept.
    private var isResumable: Bool {
        job.output == nil && job.settings.asksForFile
            && planner.representation?.contentEncoding == nil
    }

    /// Claims the bytes written so far, and resumes the transfers that waited for it.
    private func saveCheckpoint() async throws(DownloadError) {
        if try await store.saveCheckpoint(isResumable: isResumable) { releaseHeld() }
    }

    private func releaseHeld() {
        if !isSuspended { transfers.releaseHeld { store.hasRoom(at: $0) } }
    }

    // MARK: - Small files

    /// Finishes a small file that was received completely before a checkpoint was due.
    private func arrived(_ id: TransferID, _ body: SmallBody) async {
        guard transfers.cursor(of: id) != nil else { return }
        monitor.sized(body.representation.total)
        noteHead(body.head, body.verdict)
        let prepare = parts.finisher.preparation(
            of: body,
            source: planner.sourceText(pinnedBy: id),
            parts.resolver,
            absent: absent
        )
        // There is nothing left to plan, so the connection is released for others.
        for action in follow(.abandoned) { _ = await perform(action) }
        await ended(id, offset: Int64(body.bytes.count), TransferEnd(.completed))
        if engine.smallBodies.isRoomy { whenFetched() }
        monitor.entered(.verifying)
        await attempt { () async throws(DownloadError) in
            let named = try await self.parts.finisher.finish(prepare)
            let (size, wasThere) = (named.size, named.wasAlreadyThere)
            self.succeed(FinishedTarget(named.path, size: size, wasThere: wasThere)) { file in
                file.isLengthVerified = self.isLengthVerified
            }
        }
    }

    /// Lets the planner handle a body in memory like the first bytes of a large file, after which it
    /// lets the transfer continue.
    private func show(_ id: TransferID, _ body: SmallBody) async {
        guard transfers.cursor(of: id) != nil else { return }
        heads[id] = body.head
        noteHead(body.head, body.verdict)
        collected[id] = body
        await report(.headJudged(id, body.verdict, connectTime: body.head.connectTime))
        collected[id] = nil
    }

    /// Keeps the bytes of a body that broke off like those of any other file.
    private func brokeOff(_ id: TransferID, _ body: SmallBody, _ end: TransferEnd) async {
        await show(id, body)
        if outcome == nil {
            await ended(id, end, nil)
        } else {
            mailbox.post(.brokeOff(id, body, end))
        }
    }

    /// Writes the collected bytes before the transfer continues, and claims them at once because
    /// they are overdue.
    private func writeCollected(
        _ id: TransferID,
        _ cursor: TransferCursor,
        from start: Int64
    ) async {
        guard let body = collected[id], store.isOpen else { return }
        await attempt { () async throws(DownloadError) in
            try await self.store.write(body, from: start)
            cursor.caughtUp(to: max(start, Int64(body.bytes.count)))
            try await self.saveCheckpoint()
        }
    }

    // MARK: - The end

    /// Finishes the file after all its bytes have been received.
    private func complete(_ total: Int64) async {
        monitor.entered(.verifying)
        await attempt { () async throws(DownloadError) in
            let finish = try await self.store.finish(
                total: total,
                isLengthVerified: self.isLengthVerified
            )
            switch finish {
            case .named(let finished, let digest):
                self.succeed(finished) { file in
                    file.verifiedDigest = digest
                    file.isLengthVerified = self.isLengthVerified
                    file.contentEncoding = self.planner.representation?.contentEncoding
                }
            case .syncFailed(let durable): await self.report(.syncFailed(durable: durable))
            case .differed(let pieces, let expected):
                await self.report(.mirrorsNamed(self.parts.metalink.mirrors))
                await self.report(.digestDiffered(wrongPieces: pieces, expected: expected))
            }
        }
    }

    private func succeed(_ finished: FinishedTarget, change: (inout DownloadedFile) -> Void) {
        monitor.named(finished.name)
        var file = DownloadedFile(path: finished.path, byteCount: finished.size)
        file.wasAlreadyThere = finished.wasThere
        change(&file)
        outcome = .success(file)
    }

    /// Ends the download without a transfer, because the file exists already.
    private func finishEarly(_ file: FinishedTarget) { succeed(file) { _ in } }

    /// Ends the running transfers and keeps the bytes received so far.
    ///
    /// `unread` are the messages that arrived together with the one that ended the download.
    private func shutDown(_ unread: [DriverMessage]) async {
        for action in follow(.abandoned) { _ = await perform(action) }
        // A transfer that was taken over and not asked for is not in the plan.
        if let (transfer, cursor) = handover?.takeTransfer(of: .first(job.url)) {
            transfers.add(.first(job.url), transfer, cursor)
        }
        transfers.cancelAll()
        for message in unread { await receiveAtEnd(message) }
        while !transfers.isEmpty {
            await mailbox.waitIgnoringCancellation()
            for message in mailbox.take() { await receiveAtEnd(message) }
        }
        // This returns a slot that was granted after the last check.
        for message in mailbox.take() { await receiveAtEnd(message) }
        await hosts.keep(planner.lesson, at: engine.time.now())
        if case .failure(let error) = outcome {
            outcome = .failure(await store.keep(after: error, planner, isResumable: isResumable))
        }
        store.close()
    }

    private func receiveAtEnd(_ message: DriverMessage) async {
        switch message {
        case .transferEnded(let id, let end, _):
            guard let cursor = transfers.cursor(of: id) else { return }
            await ended(id, offset: cursor.countedEnd, end)
        case .arrived(let id, let body):
            await keepCollected(body)
            await ended(id, offset: Int64(body.bytes.count), TransferEnd(.completed))
        case .overdue(_, let body): await keepCollected(body)
        case .brokeOff(let id, let body, let end):
            await keepCollected(body)
            await ended(id, offset: 0, end)
        case .slotGranted(let host): slots.release(host)
        default: break
        }
    }

    /// Reports an end to the planner whose actions are no longer carried out.
    private func ended(_ id: TransferID, offset: Int64, _ end: TransferEnd) async {
        guard let (cursor, _) = transfers.remove(id) else { return }
        monitor.transferEnded(end, cursor)
        monitor.bytes.ended(id)
        for action in follow(.transferEnded(id, offset: offset, end.outcome)) {
            _ = await perform(action)
        }
    }

    private func keepCollected(_ body: SmallBody) async {
        guard case .failure = outcome else { return }
        await store.keep(body, absent: absent, source: planner.sourceText(pinnedBy: nil))
    }

    // MARK: - The network

    /// Checks the network after a failed transfer, which may end before the lost route is reported.
    private func checkNetwork(after outcome: TransferOutcome) async {
        guard job.settings.waitsForConnectivity, case .failed = outcome,
            let path = await engine.networkPath()
        else { return }
        await report(.networkChanged(path))
    }
}
