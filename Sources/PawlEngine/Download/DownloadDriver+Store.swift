internal import Logging
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Opens and empties the store, and keeps its checkpoint correct.
extension DownloadDriver {
    /// Names the file from the head that waits, and opens the partial file of an earlier run or a
    /// new one.
    func openStore(for id: TransferID, _ representation: Representation) async -> [DownloadAction] {
        do throws(DownloadError) {
            if context.store.current != nil {
                if untouched == nil { try await empty(for: representation, from: id) }
                return follow(.storeOpened(id, untouched))
            }
            guard let head = heads[id] else { return [] }
            digests.note(representation)
            let digest = digests.expected
            let source = planner.sourceText(pinnedBy: id)
            let found = try await find(head, representation, digest, source: source)
            switch found {
            case .alreadyThere(let path): try await finishEarly(path)
            case .created(let store, let notes):
                report(notes)
                try await adopt(store, have: RangeSet(), total: representation.total)
                return follow(.storeOpened(id, nil))
            case .resumable(let store, let recovery):
                try await adopt(store, recovery)
                if untouched == nil { try await empty(for: representation, from: id) }
                return follow(.storeOpened(id, untouched))
            case .nothing, .undecided, .likely: break
            }
        } catch {
            fail(error)
        }
        return []
    }

    /// Finds the existing files under the name that the head supplies, comparing them if necessary.
    private func find(
        _ head: ResponseHead,
        _ representation: Representation,
        _ digest: ContentDigest?,
        source: String
    ) async throws(DownloadError) -> TargetResolver.Found {
        // The user's callback may block for any time, and is called only once.
        guard job.choosesDestination == nil else {
            return try await open(head, representation, digest, source, .init(), engine.choices)
        }
        var comparison = TargetResolver.Comparison(readsFiles: false, asksForSamples: true)
        var pool = engine.disk
        while true {
            let found = try await open(head, representation, digest, source, comparison, pool)
            switch found {
            case .undecided:
                // Reading a large file takes long. Checkpoints must not wait for that.
                comparison.readsFiles = true
                pool = engine.digests
            case .likely(let path):
                let samples = SampleComparison(head, representation, requests, engine: engine)
                if await samples.matches(path) {
                    logger.notice(
                        "\(path) exists: its URL, length and two samples match the server's file"
                    )
                    return .alreadyThere(path)
                }
                comparison.different.insert(path)
            default: return found
            }
        }
    }

    private func open(
        _ head: ResponseHead,
        _ representation: Representation,
        _ digest: ContentDigest?,
        _ source: String,
        _ comparison: TargetResolver.Comparison,
        _ pool: BlockingPool
    ) async throws(DownloadError) -> TargetResolver.Found {
        let resolver = resolver
        return try await pool.run { () throws(DownloadError) in
            try resolver.open(
                head,
                representation,
                digest,
                source: source,
                comparison: comparison
            )
        }
    }

    func resetStore(for id: TransferID?, _ representation: Representation) async -> [DownloadAction]
    {
        do throws(DownloadError) {
            if isBorrowing {
                try await leaveBorrowed(representation, from: id)
            } else {
                try await empty(for: representation, from: id)
            }
            return follow(.storeReset(id))
        } catch {
            fail(error)
            return []
        }
    }

    /// Applies what a later response reports, such as the total size, or that an entity tag cannot
    /// be used.
    func learn(_ representation: Representation) async {
        guard let store = context.store.current else { return }
        let hadTotal = store.representation.total != nil
        monitor.sized(representation.total)
        store.setRepresentation(representation)
        digests.note(representation)
        guard !hadTotal || adopted != nil else { return }
        await attempt { () async throws(DownloadError) in
            if let adopted {
                // The bytes must be recorded as ours before the file is made longer. A failed sync
                // may have revoked some.
                let written = adopted.intersection(monitor.bytes.written)
                let epoch = trustedEpoch
                try await self.engine.disk.run { () throws(DownloadError) in
                    try store.saveCheckpoint(written: written, epoch: epoch)
                }
            }
            try await reserve(representation.total, in: store)
        }
    }

    /// Reports to the user which bytes of an earlier run or of this one are not used.
    func report(_ notes: [String]) {
        for note in notes { logger.warning("\(note.sanitized)") }
    }

    /// Takes over an earlier run's store as this download's own.
    func adopt(_ store: PartialStore, _ recovery: Recovery) async throws(DownloadError) {
        report(recovery.notes)
        untouched =
            recovery.have.isEmpty
            ? nil
            : StartingPoint(
                representation: recovery.representation,
                have: recovery.have,
                isForeign: recovery.isForeign,
                source: recovery.source
            )
        if recovery.isForeign { adopted = recovery.have }
        isBorrowing = recovery.isAnothers
        if !isBorrowing { store.setMark(resolver.mark) }
        digests.note(recovery.representation)
        try await adopt(store, have: recovery.have, total: recovery.representation.total)
        try digests.follow(recovery.have.frontier, in: store)
    }

    /// Records that bytes of this run follow the existing ones, so the file of the earlier run is
    /// now this download's.
    func join() {
        untouched = nil
        guard isBorrowing else { return }
        isBorrowing = false
        guard let store = context.store.current else { return }
        store.setMark(resolver.mark)
        monitor.opened(store, have: monitor.bytes.written)
    }

    /// Leaves another download's partial file unchanged, because its bytes proved to be of another
    /// file.
    private func leaveBorrowed(
        _ representation: Representation,
        from id: TransferID?
    ) async throws(DownloadError) {
        guard let borrowed = context.store.current else { return }
        isBorrowing = false
        untouched = nil
        digests.reset(to: representation)
        context.store.current = nil
        borrowed.close()
        let (resolver, wanted) = (resolver, borrowed.paths.wanted)
        let source = planner.sourceText(pinnedBy: id)
        let found = try await engine.disk.run { () throws(DownloadError) in
            try resolver.openBeside(wanted, representation, source: source)
        }
        guard case .created(let store, let notes) = found else { return }
        report(notes)
        try await adopt(store, have: RangeSet(), total: representation.total)
    }

    private func adopt(
        _ store: PartialStore,
        have: RangeSet,
        total: Int64?
    ) async throws(DownloadError) {
        context.store.current = store
        // While the total size is unknown, no bytes are shown.
        monitor.sized(total)
        if isBorrowing {
            monitor.begin(with: have)
        } else {
            monitor.opened(store, have: have)
        }
        trustedEpoch = store.trustEpoch
        monitor.named(store.paths.final.lastComponent?.string ?? "")
        schedule.opened(at: engine.time.now())
        if adopted == nil { try await reserve(total, in: store) }
    }

    private func reserve(_ total: Int64?, in store: PartialStore) async throws(DownloadError) {
        guard let total, total > 0 else { return }
        try await engine.disk.run { () throws(DownloadError) in try store.reserve(total: total) }
    }

    /// Deletes all bytes, because they are of another representation.
    private func empty(
        for representation: Representation,
        from id: TransferID?
    ) async throws(DownloadError) {
        guard let store = context.store.current else { return }
        if job.resume?.fallback == .fail, !monitor.bytes.written.isEmpty {
            throw DownloadError(.changedOnServer)
        }
        untouched = nil
        adopted = nil
        monitor.startedOver(with: id.flatMap { heads[$0] })
        monitor.sized(representation.total)
        digests.reset(to: representation)
        let (source, mark) = (planner.sourceText(pinnedBy: id), resolver.mark)
        // This syncs the checkpoint.
        try await engine.syncs.run { () throws(DownloadError) in
            try store.reset(representation: representation, source: source, mark: mark)
        }
        trustedEpoch = store.trustEpoch
        isDistrusting = false
        try await reserve(representation.total, in: store)
    }

    /// Claims the bytes written so far, and resumes the transfers that waited for it.
    func saveCheckpoint() async throws(DownloadError) {
        guard let store = context.store.current else { return }
        let now = engine.time.now()
        schedule.looked(at: now)
        // A transfer may have stopped for the previous checkpoint just after that was written.
        guard !isDistrusting else { return }
        let unclaimed = context.unclaimed.bytes
        guard unclaimed > 0 else {
            // The bytes of the last second must become durable, too, even if no more follow.
            if schedule.hasUnsynced { sync(monitor.bytes.written, now) }
            return releaseHeld()
        }
        let (written, epoch) = (monitor.bytes.written, trustedEpoch)
        if isResumable {
            try await engine.disk.run { () throws(DownloadError) in
                try store.saveCheckpoint(written: written, epoch: epoch)
            }
            schedule.claimed()
            sync(written, now)
            flusher.follow(store)
        }
        context.unclaimed.claimed(unclaimed)
        releaseHeld()
        try digests.follow(written.frontier, in: store)
    }

    private func sync(_ written: RangeSet, _ now: Moment) {
        guard isResumable, schedule.beginSync(at: now) else { return }
        syncer.follow(SyncRequest(written: written, epoch: trustedEpoch))
    }

    /// Whether a part of the file can be kept.
    ///
    /// Encoded bytes are kept only as a whole, so no checkpoint claims a part of them.
    var isResumable: Bool { planner.representation?.contentEncoding == nil }

    func releaseHeld() {
        guard !isSuspended else { return }
        for running in transfers.values where running.cursor.releaseHold() && !running.awaitsFile {
            running.transfer.resume()
        }
    }

    func synced(_ epoch: Int, _ failure: DownloadError?) async {
        schedule.endedSync(at: engine.time.now(), succeeded: failure == nil)
        // If the finish has seen the same failure, the bytes are distrusted already.
        guard let failure, epoch == trustedEpoch else { return }
        await distrust(failure)
    }

    /// Trusts only the bytes that were durable before a failed sync.
    ///
    /// The rest is fetched again.
    func distrust(_ failure: DownloadError) async {
        failedSyncs += 1
        guard let store = context.store.current, failure.code == .diskFailure, failedSyncs < 3
        else { return fail(failure) }
        logger.warning("\(failure.message): fetching the unsynced bytes again")
        trustedEpoch = store.trustEpoch
        isDistrusting = true
        digests.distrust()
        await tell(.syncFailed(durable: store.durable))
    }

    /// Removes the bytes that are no longer trusted from the ledger and the checkpoint, as the
    /// planner has done.
    func restrict(to kept: RangeSet) {
        monitor.bytes.restrict(to: kept)
        context.store.current?.restrict(to: monitor.bytes.written)
        isDistrusting = false
    }
}
