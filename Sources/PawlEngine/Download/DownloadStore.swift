internal import Logging
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// The store of one running download, usually its partial file: opens and empties it, and keeps its
/// checkpoint correct.
///
/// Only the driver's task uses it.
final class DownloadStore {
    /// What opening the store has led to.
    enum Opening {
        /// It is open; the starting point is what an earlier run left.
        case open(StartingPoint?)
        /// The file exists already.
        case alreadyThere(FinishedTarget)
        case nothing
    }

    private struct SyncRequest: Sendable {
        var written: RangeSet
        var epoch: Int
    }

    private let job: DownloadJob
    private let engine: Engine
    private let stop: CancellationToken
    private let monitor: DownloadMonitor
    private let resolver: TargetResolver
    private let target: ByteTarget
    private let mailbox: DriverMailbox
    private let unclaimed: UnclaimedBytes
    private let openStore: OpenStore
    private let logger: Logger
    private let digests: FileDigester
    /// Looks for a digest beside the file; `nil` if that is not asked for.
    let digestSearch: DigestSearch?
    /// Passes the bytes on to the job's output; `nil` if they become a file.
    private let feed: OutputFeed?
    private let syncer: LatestRequestWorker<SyncRequest>
    /// Starts writing to the disk early, so that the disk is not idle until the first sync.
    private let flusher: LatestRequestWorker<any TargetStore>
    private var schedule = CheckpointSchedule()

    /// The remains of an earlier run, visible to the driver; `nil` once bytes of this run follow.
    private(set) var startingPoint: StartingPoint?
    /// The representation of an earlier run that left no bytes, visible to the driver.
    private(set) var former: Representation?
    /// Whether the file belongs to another download and contains no byte of this one.
    private var isForeignFile = false
    /// Another tool's bytes that the user wants to resume from.
    private var adopted: RangeSet?
    /// The number of failed syncs.
    ///
    /// It never falls: with a bad sector, syncs of other bytes succeed in between.
    private var failedSyncs = 0
    /// The file's epoch in which all written bytes count.
    private var trustedEpoch = 0
    /// Whether no bytes may be claimed: a sync failed, and the transfers that are being ended may
    /// still write.
    private var isDistrusting = false
    /// Why the complete file was not accepted, and its size; `nil` if it was not verified, or was
    /// right.
    private var difference: (total: Int64, DownloadError)?

    /// Creates the store, after the lane has `found` a file or has looked for none.
    init(_ parts: DownloadParts, found: Result<TargetResolver.Found, DownloadError>? = nil) {
        (job, engine, stop, monitor) = (parts.job, parts.engine, parts.stop, parts.monitor)
        (resolver, target, logger) = (parts.resolver, parts.target(found: found), parts.logger)
        let (openStore, mailbox) = (parts.context.store, parts.mailbox)
        (self.openStore, self.mailbox) = (openStore, mailbox)
        unclaimed = parts.context.unclaimed
        digests = FileDigester(job.settings, pool: engine.digests, parts.metalink)
        digestSearch = DigestSearch(parts, for: digests)
        feed = parts.feed(digests)
        syncer = LatestRequestWorker(pool: engine.syncs) {
            (request: SyncRequest) throws(DownloadError) in
            try openStore.current?.sync(written: request.written, epoch: request.epoch)
        } done: { request, failure in
            mailbox.post(.synced(epoch: request.epoch, failure))
        }
        flusher = LatestRequestWorker(pool: engine.syncs) { (store: any TargetStore) in
            store.startWriteback()
        } done: { _, _ in
        }
    }

    var isOpen: Bool { openStore.current != nil }

    /// Whether bytes that were read can be read again.
    private var canReadAgain: Bool { openStore.current?.traits.reading == .anywhere }

    /// The parts in which the store takes bytes; `nil` if it takes any byte at any time.
    var grid: SegmentGrid? { openStore.current?.traits.grid }

    /// Whether there is room for bytes at an offset.
    func hasRoom(at offset: Int64) -> Bool { openStore.current?.hasRoom(at: offset) ?? true }

    /// The time of the next checkpoint; `nil` while there is no file.
    var nextCheckpoint: Moment? { isOpen ? schedule.nextDue : nil }

    /// Passes the bytes received so far on to the job's output.
    func passOn() {
        guard let feed, let store = openStore.current else { return }
        feed.follow(monitor.bytes.written.frontier, in: store)
    }

    /// Ends the work on other threads.
    func finishWork() async {
        await flusher.finish()
        await syncer.finish()
        await digests.finish()
        await feed?.end()
    }

    func close() { openStore.current?.close() }

    // MARK: - Opening

    /// The name to show before the server has responded.
    var expectedName: String { target.opening.expectedName }

    /// Finds what an earlier run left, as far as that is known before the server is asked.
    func findBeforeAsking() async throws(DownloadError) -> TargetFinding {
        try await target.opening.findBeforeAsking()
    }

    /// Names the file from the first head, and opens the store of an earlier run or a new one.
    ///
    /// `drop` ends the response, if its connection is needed for the samples of a comparison.
    func open(
        _ head: ResponseHead?,
        _ representation: Representation,
        source: String,
        drop: () async -> Void
    ) async throws(DownloadError) -> Opening {
        if isOpen {
            if startingPoint == nil { try await empty(for: representation, head, source) }
            return .open(startingPoint)
        }
        guard let head else { return .nothing }
        digests.note(representation)
        let digest = digests.expected
        let response = TargetResponse(head, representation, digest: digest, source: source)
        switch try await target.opening.open(response, drop: drop) {
        case .alreadyThere(let file): return .alreadyThere(file)
        case .created(let store, let notes):
            logger.report(notes)
            try await use(store, have: RangeSet(), total: representation.total)
            return .open(nil)
        case .resumable(let store, let recovery):
            try await adopt(store, recovery)
            if startingPoint == nil { try await empty(for: representation, head, source) }
            return .open(startingPoint)
        case .nothing: return .nothing
        }
    }

    /// Takes over an earlier run's store as this download's own.
    func adopt(_ store: any TargetStore, _ recovery: Recovery) async throws(DownloadError) {
        logger.report(recovery.notes)
        startingPoint =
            recovery.have.isEmpty
            ? nil
            : StartingPoint(
                representation: recovery.representation,
                have: recovery.have,
                isForeign: recovery.isForeign,
                source: recovery.source
            )
        if recovery.have.isEmpty { former = recovery.representation }
        if recovery.isForeign { adopted = recovery.have }
        isForeignFile = recovery.isAnothers
        if !isForeignFile { mark(store) }
        digests.note(recovery.representation)
        try await use(store, have: recovery.have, total: recovery.representation.total)
        try digests.follow(recovery.have.frontier, in: store)
    }

    /// Throws if the download may only be resumed and cannot be.
    func checkResumable(_ canResume: Bool) throws(DownloadError) {
        guard job.resume?.fallback != .fail || startingPoint != nil && canResume else {
            throw DownloadError(.partialFileChanged)
        }
    }

    /// Stores the mark by which a later run recognizes the partial file.
    private func mark(_ store: any TargetStore) {
        guard let mark = target.opening.mark(for: store) else { return }
        store.partialFile?.setMark(mark)
    }

    private func use(
        _ store: any TargetStore,
        have: RangeSet,
        total: Int64?
    ) async throws(DownloadError) {
        openStore.current = store
        let mailbox = mailbox
        store.whenRoom { mailbox.post(.released) }
        store.whenFailed { mailbox.post(.targetFailed($0)) }
        // Which digest is verified is known before the first byte is put.
        if store.traits.reading != .anywhere { digests.settle() }
        // While the total size is unknown, no bytes are shown.
        monitor.sized(total)
        if isForeignFile {
            monitor.begin(with: have)
        } else {
            monitor.opened(store, have: have)
        }
        trustedEpoch = store.trustEpoch
        monitor.named(store.name)
        schedule.opened(at: engine.time.now())
        if digests.expected == nil, canReadAgain { digestSearch?.begin() }
        if adopted == nil { try await reserve(total, in: store) }
    }

    private func reserve(
        _ total: Int64?,
        in store: any TargetStore
    ) async throws(DownloadError) {
        // The bytes of an output do not stay.
        guard feed == nil, let total, total > 0, store.traits.reservesSpace else { return }
        try await engine.disk.run { () throws(DownloadError) in try store.reserve(total: total) }
    }

    /// Records that bytes of this run follow the existing ones, so the file of the earlier run is
    /// now this download's.
    func join() {
        startingPoint = nil
        guard isForeignFile else { return }
        isForeignFile = false
        guard let store = openStore.current else { return }
        mark(store)
        monitor.opened(store, have: monitor.bytes.written)
    }

    /// Starts over for another representation, in the same partial file, or beside it if it is
    /// another download's.
    func startOver(
        for representation: Representation,
        _ head: ResponseHead?,
        source: String
    ) async throws(DownloadError) {
        guard isForeignFile, let borrowed = openStore.current else {
            return try await empty(for: representation, head, source)
        }
        // The bytes proved to be of another file.
        isForeignFile = false
        startingPoint = nil
        digests.reset(to: representation)
        openStore.current = nil
        borrowed.close()
        let found = try await target.opening.openBeside(borrowed, representation, source: source)
        guard case .created(let store, let notes) = found else { return }
        logger.report(notes)
        try await use(store, have: RangeSet(), total: representation.total)
    }

    /// Deletes all bytes, because they are of another representation.
    private func empty(
        for representation: Representation,
        _ head: ResponseHead?,
        _ source: String
    ) async throws(DownloadError) {
        guard let store = openStore.current else { return }
        if job.resume?.fallback == .fail, !monitor.bytes.written.isEmpty {
            throw DownloadError(.changedOnServer)
        }
        try feed?.checkNotBegun()
        startingPoint = nil
        adopted = nil
        monitor.startedOver(with: head)
        monitor.sized(representation.total)
        digests.reset(to: representation)
        let mark = target.opening.mark(for: store)
        // This syncs the checkpoint.
        try await engine.syncs.run { () throws(DownloadError) in
            try store.reset(representation: representation, source: source, mark: mark)
        }
        trustedEpoch = store.trustEpoch
        isDistrusting = false
        try await reserve(representation.total, in: store)
    }

    /// Takes the digest that a later response reports, if the user did not give one.
    func noteDigest(of representation: Representation) { digests.note(representation) }
    /// Whether a response describes the file, and its digest is known then.
    func knowsDigest(after verdict: HeadVerdict) -> Bool {
        // Whether another target can verify a server's digest is known once its store is open.
        guard job.target == nil || job.settings.checksum.isGiven else { return false }
        return if case .pin(let file, _) = verdict { digests.isKnown(with: file) } else { false }
    }

    /// Applies what a later response reports, such as the total size, or that an entity tag cannot
    /// be used.
    func learn(_ representation: Representation) async throws(DownloadError) {
        guard let store = openStore.current else { return }
        let hadTotal = store.representation.total != nil
        monitor.sized(representation.total)
        store.setRepresentation(representation)
        digests.note(representation)
        guard !hadTotal || adopted != nil else { return }
        if let adopted {
            // The bytes must be recorded as ours before the file is made longer. A failed sync may
            // have revoked some.
            let (written, epoch) = (adopted.intersection(monitor.bytes.written), trustedEpoch)
            try await engine.disk.run { () throws(DownloadError) in
                try store.saveCheckpoint(written: written, epoch: epoch)
            }
        }
        try await reserve(representation.total, in: store)
    }

    // MARK: - Small bodies

    /// Writes the bytes that a transfer has collected in memory.
    func write(_ body: SmallBody, from start: Int64) async throws(DownloadError) {
        guard let store = openStore.current else { return }
        try await engine.disk.run { () throws(DownloadError) in
            try store.file().write(body.bytes, from: start)
        }
        unclaimed.wrote(body.bytes.count)
    }

    /// After the end of the download, keeps the bytes in memory as if they had been written before.
    func keep(_ body: SmallBody, absent: FilePath?, source: String) async {
        guard !isOpen, !body.bytes.isEmpty else { return }
        let resolver = resolver
        do throws(DownloadError) {
            let found = try await engine.disk.run { () throws(DownloadError) in
                let found = try resolver.open(
                    body.head,
                    body.representation,
                    nil,
                    source: source,
                    absent: absent,
                    // Bytes of a file that is likely to exist already are not worth keeping.
                    comparison: .init(asksForSamples: true)
                )
                if case .created(let store, _) = found { try store.write(body.bytes) }
                return found
            }
            switch found {
            case .created(let store, _):
                openStore.current = store
                let have = RangeSet(ByteRange(0, Int64(body.bytes.count)))
                monitor.opened(store, have: have, resumed: 0)
            case .resumable(let store, _): store.close()
            case .alreadyThere, .nothing, .undecided, .likely: break
            }
        } catch {
            logger.warning("cannot keep the received bytes: \(error.failure)")
        }
    }

    // MARK: - Checkpoints

    /// Claims the bytes written so far.
    ///
    /// Returns whether waiting transfers may continue. A file that is not resumable is not claimed.
    func saveCheckpoint(isResumable: Bool) async throws(DownloadError) -> Bool {
        guard let store = openStore.current else { return false }
        let now = engine.time.now()
        schedule.checked(at: now)
        // A transfer may have stopped for the previous checkpoint just after that was written.
        guard !isDistrusting else { return false }
        let unclaimed = unclaimed.bytes
        let claims = isResumable && store.traits.keepsClaims
        guard unclaimed > 0 || claims && schedule.hasPassedOver else {
            // The bytes of the last second must become durable, too, even if no more follow.
            if schedule.hasUnsynced, claims { sync(monitor.bytes.written, now) }
            return true
        }
        let (written, epoch) = (monitor.bytes.written, trustedEpoch)
        if !claims { schedule.passedOver() }
        if claims {
            try await engine.disk.run { () throws(DownloadError) in
                try store.saveCheckpoint(written: written, epoch: epoch)
            }
            schedule.claimed()
            sync(written, now)
            flusher.follow(store)
        }
        self.unclaimed.claimed(unclaimed)
        try digests.follow(written.frontier, in: store)
        return true
    }

    private func sync(_ written: RangeSet, _ now: Moment) {
        guard schedule.beginSync(at: now) else { return }
        syncer.follow(SyncRequest(written: written, epoch: trustedEpoch))
    }

    /// Records the end of a sync.
    ///
    /// Returns the only bytes that still count if it failed; throws if the disk cannot be used.
    func synced(_ epoch: Int, _ failure: DownloadError?) throws(DownloadError) -> RangeSet? {
        schedule.endedSync(at: engine.time.now(), succeeded: failure == nil)
        // If the finish has seen the same failure, the bytes are distrusted already.
        guard let failure, epoch == trustedEpoch else { return nil }
        return try distrust(after: failure)
    }

    /// Trusts only the bytes that are durable after the store has lost others, and returns them; `nil`
    /// if that was done already.
    func lost(_ failure: DownloadError) -> RangeSet? {
        guard let store = openStore.current, store.trustEpoch != trustedEpoch else { return nil }
        logger.warning("\(failure.message): fetching bytes again")
        trustedEpoch = store.trustEpoch
        isDistrusting = true
        digests.distrust()
        return store.traits.reading == .once ? RangeSet() : store.durable
    }

    /// Trusts only the bytes that were durable before a failed sync, and returns them.
    ///
    /// The rest is fetched again. Throws the failure if that cannot help.
    private func distrust(after failure: DownloadError) throws(DownloadError) -> RangeSet {
        failedSyncs += 1
        guard let store = openStore.current, failure.code == .diskFailure, failedSyncs < 3 else {
            throw failure
        }
        logger.warning("\(failure.message): fetching the unsynced bytes again")
        trustedEpoch = store.trustEpoch
        isDistrusting = true
        digests.distrust()
        return store.durable
    }

    /// Removes the bytes that are no longer trusted from the ledger and the checkpoint, as the
    /// planner has done.
    func restrict(to kept: RangeSet) {
        monitor.bytes.restrict(to: kept)
        openStore.current?.restrict(to: monitor.bytes.written)
        isDistrusting = false
    }

    // MARK: - The end

    /// What finishing the file has led to.
    enum Finish {
        case named(FinishedTarget, ContentDigest?)
        /// A sync failed, and only these bytes still count.
        case syncFailed(durable: RangeSet)
        /// The file is wrong; the pieces are those that are known to be wrong.
        case differed([ByteRange], expected: ContentDigest?)
    }

    /// Verifies the file after all its bytes have been received, and gives it its name.
    ///
    /// `isLengthVerified` is whether the response proved the length.
    func finish(
        total: Int64,
        isLengthVerified: Bool
    ) async throws(DownloadError) -> Finish {
        guard let store = openStore.current else {
            throw DownloadError(.unknown, "the download ended without a file")
        }
        if canReadAgain { try await digestSearch?.settle(stop) }
        let verified: VerifiedDigests
        switch try await digests.verify(store, total: total, stop) {
        case .verified(let digests): verified = digests
        case .differed(let pieces, let error):
            // Bytes that the reader has received cannot be corrected.
            if feed != nil { throw error }
            digests.distrust()
            difference = (total, error)
            return .differed(pieces, expected: digests.expected)
        }
        if let feed {
            try await feed.finish(total, in: store)
            return .named(.output(size: total), verified.whole)
        }
        do throws(DownloadError) {
            let complete = CompleteTarget(
                store: store,
                total: total,
                isLengthVerified: isLengthVerified,
                digests: verified,
                epoch: trustedEpoch
            )
            return .named(try await target.finishing.finish(complete), verified.whole)
        } catch {
            guard store.trustEpoch != trustedEpoch else { throw error }
            if store.partialFile == nil, let durable = lost(error) {
                return .syncFailed(durable: durable)
            }
            return .syncFailed(durable: try distrust(after: error))
        }
    }

    /// Keeps a file with a wrong digest under another name, and returns the error that names it.
    func keepAsCorrupt() async throws(DownloadError) -> DownloadError {
        guard let store = openStore.current, let (total, error) = difference else {
            return DownloadError(.unknown, "there is no file with a wrong digest")
        }
        let path = try await target.finishing.keepAsCorrupt(store, total: total, error)
        openStore.current = nil
        guard let path else { return error }
        let advice: Advice =
            adopted == nil
            ? error.guidance
            : "the adopted part may be wrong: \(.runAgain) to fetch the whole file"
        return DownloadError(
            .checksumMismatch,
            error.message,
            advice: "the bytes are kept in \(path); \(advice)"
        )
    }

    /// Keeps the bytes received so far after an error, and returns the error with what is kept.
    func keep(
        after error: DownloadError,
        _ planner: DownloadPlanner,
        isResumable: Bool
    ) async -> DownloadError {
        // The bytes of another download may neither be claimed nor deleted.
        guard !isForeignFile else { return error }
        guard let store = openStore.current else { return error.withNothingToResume }
        if job.control?.discards != true { await store.settle() }
        if let adopted, planner.isAdopting {
            await restoreAdopted(store, adopted)
            return error
        }
        // A sync may have failed after the last message was read, or may fail now.
        let epoch = store.trustEpoch
        let isTrusted = !isDistrusting && epoch == trustedEpoch
        let written = isTrusted ? monitor.bytes.written : store.durable
        let (canResume, discards) = (planner.canResume(store.representation), job.control?.discards)
        // A store without claims may have bytes that this run has not received again yet.
        let hasBytes = !written.isEmpty || !store.traits.keepsClaims && !store.durable.isEmpty
        // Under another download's name (`.alreadyRunning`) these bytes would never be found.
        let keeps =
            isResumable && hasBytes && error.code != .alreadyRunning
            // A file that has lost its name cannot be found again.
            && store.isInPlace
            && discards != true
            // On a full disk, bytes that cannot be resumed only take up space.
            && (error.code != .diskFull || canResume)
        do throws(DownloadError) {
            try await engine.disk.run { () throws(DownloadError) in
                guard keeps else { return try store.discard() }
                // The claim comes first: it survives a kill even if the sync takes long.
                try store.saveCheckpoint(written: written, epoch: epoch)
            }
            if keeps, let paths = store.partialFile?.paths, let names = PartialNames(paths.wanted) {
                engine.numberedPartials.note(paths.number, of: names)
            }
            if !keeps, discards != true { monitor.discarded() }
            if keeps {
                try await engine.syncs.run { () throws(DownloadError) in
                    try store.sync(written: written, epoch: epoch)
                }
            }
        } catch {
            logger.warning("cannot keep the received bytes: \(error.failure)")
        }
        let keepsClaims = store.traits.keepsClaims
        let kept = keepsClaims && store.trustEpoch == epoch ? written : store.durable
        if keeps, kept.count < written.count { monitor.lost(keeping: kept) }
        if keeps, error.code == .interrupted, !kept.isEmpty {
            return .interrupted(keeping: kept, in: store, canResume)
        }
        // Without claims, only the sync shows whether there is anything to keep.
        let isInVain = keeps && kept.isEmpty && (error.code == .interrupted || !keepsClaims)
        if isInVain {
            _ = try? await engine.disk.run { () throws(DownloadError) in try store.discard() }
        }
        if error.code == .diskFull { return error.keeping(store.kept) }
        return error.advising(resumes: canResume && feed == nil, keeps: keeps && !isInVain)
    }

    /// Restores another tool's file, because no response that fits it was accepted.
    private func restoreAdopted(_ store: any TargetStore, _ adopted: RangeSet) async {
        do throws(DownloadError) {
            try await engine.disk.run { () throws(DownloadError) in
                try store.file().cut(to: adopted.frontier)
            }
        } catch {
            logger.warning("cannot truncate the partial file: \(error.failure)")
        }
    }
}

extension Logger {
    /// Reports to the user which bytes of an earlier run or of this one are not used.
    func report(_ notes: [String]) {
        for note in notes { warning("\(note.sanitized)") }
    }
}
