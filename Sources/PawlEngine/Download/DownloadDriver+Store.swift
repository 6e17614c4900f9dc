internal import Logging
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Opening the store, keeping its checkpoint true, emptying it.
extension DownloadDriver {
    /// Names the file by the head that waits, and opens what an earlier run left of it or a new one.
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
                note(notes)
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

    /// What is there under the name that the head gives, once that is compared.
    private func find(
        _ head: ResponseHead,
        _ representation: Representation,
        _ digest: ContentDigest?,
        source: String
    ) async throws(DownloadError) -> TargetResolver.Found {
        // What the user says may wait for anything, and is asked for once.
        guard job.choosesDestination == nil else {
            return try await open(head, representation, digest, source, .init(), engine.choices)
        }
        var comparison = TargetResolver.Comparison(readsFiles: false, asksForSamples: true)
        var pool = engine.disk
        while true {
            let found = try await open(head, representation, digest, source, comparison, pool)
            switch found {
            case .undecided:
                // A large file takes long to read: checkpoints do not wait for that.
                comparison.readsFiles = true
                pool = engine.digests
            case .likely(let path):
                if await hasSamples(of: path, head, representation) { return .alreadyThere(path) }
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

    /// Takes over what a later answer said: the total, that an entity tag cannot be used.
    func learn(_ representation: Representation) async {
        guard let store = context.store.current else { return }
        let hadTotal = store.representation.total != nil
        monitor.sized(representation.total)
        store.setRepresentation(representation)
        digests.note(representation)
        guard !hadTotal || adopted != nil else { return }
        await attempt { () async throws(DownloadError) in
            if let adopted {
                // It must be known as ours before it is made longer; a failed sync may have taken some back.
                let written = adopted.intersection(monitor.bytes.written)
                let epoch = trustedEpoch
                try await self.engine.disk.run { () throws(DownloadError) in
                    try store.saveCheckpoint(written: written, epoch: epoch)
                }
            }
            try await reserve(representation.total, in: store)
        }
    }

    /// Tells the user, without being asked, what is not used of what an earlier run or this one has
    /// fetched.
    func note(_ notes: [String]) {
        for note in notes { logger.warning("\(note.sanitized)") }
    }

    /// Takes an earlier run's store as this download's own.
    func adopt(_ store: PartialStore, _ recovery: Recovery) async throws(DownloadError) {
        note(recovery.notes)
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

    /// Bytes of this run follow those that are there: what an earlier run left is this download's.
    func join() {
        untouched = nil
        guard isBorrowing else { return }
        isBorrowing = false
        guard let store = context.store.current else { return }
        store.setMark(resolver.mark)
        monitor.opened(store, have: monitor.bytes.written)
    }

    /// Another download's bytes turned out to be of another file: they stay as they are.
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
        note(notes)
        try await adopt(store, have: RangeSet(), total: representation.total)
    }

    private func adopt(
        _ store: PartialStore,
        have: RangeSet,
        total: Int64?
    ) async throws(DownloadError) {
        context.store.current = store
        // Nobody is to see bytes of a whole that is not known.
        monitor.sized(total)
        if isBorrowing {
            monitor.begin(with: have)
        } else {
            monitor.opened(store, have: have)
        }
        trustedEpoch = store.trustEpoch
        monitor.named(store.paths.final.lastComponent?.string ?? "")
        keeper.opened(at: engine.time.now())
        if adopted == nil { try await reserve(total, in: store) }
    }

    private func reserve(_ total: Int64?, in store: PartialStore) async throws(DownloadError) {
        guard let total, total > 0 else { return }
        try await engine.disk.run { () throws(DownloadError) in try store.reserve(total: total) }
    }

    /// Drops all bytes: they are of another representation.
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
        // It syncs the checkpoint.
        try await engine.syncs.run { () throws(DownloadError) in
            try store.reset(representation: representation, source: source, mark: mark)
        }
        trustedEpoch = store.trustEpoch
        isDistrusting = false
        try await reserve(representation.total, in: store)
    }

    /// Claims what is written so far, and lets those go on who waited for it.
    func saveCheckpoint() async throws(DownloadError) {
        guard let store = context.store.current else { return }
        let now = engine.time.now()
        keeper.looked(at: now)
        // A transfer may have stopped for the last checkpoint just after that had been written.
        guard !isDistrusting else { return }
        let unclaimed = context.pulse.bytes
        guard unclaimed > 0 else {
            // The last second must become durable too, also where nothing more comes.
            if keeper.hasUnsynced { sync(monitor.bytes.written, now) }
            return releaseHeld()
        }
        let (written, epoch) = (monitor.bytes.written, trustedEpoch)
        if isResumable {
            try await engine.disk.run { () throws(DownloadError) in
                try store.saveCheckpoint(written: written, epoch: epoch)
            }
            keeper.claimed()
            sync(written, now)
            flusher.follow(store)
        }
        context.pulse.claimed(unclaimed)
        releaseHeld()
        try digests.follow(written.frontier, in: store)
    }

    private func sync(_ written: RangeSet, _ now: Moment) {
        guard isResumable, keeper.beginSync(at: now) else { return }
        syncer.follow(SyncRequest(written: written, epoch: trustedEpoch))
    }

    /// Encoded bytes are kept only as a whole: no checkpoint claims a part of them.
    var isResumable: Bool { planner.representation?.contentEncoding == nil }

    func releaseHeld() {
        guard !isSuspended else { return }
        for running in transfers.values where running.cursor.letGo() && !running.awaitsFile {
            running.transfer.resume()
        }
    }

    func synced(_ epoch: Int, _ failure: DownloadError?) async {
        keeper.endedSync(at: engine.time.now(), succeeded: failure == nil)
        // One that the finish has read as well is distrusted already.
        guard let failure, epoch == trustedEpoch else { return }
        await distrust(failure)
    }

    /// After a failed sync only what was durable before is believed; the rest is fetched again.
    func distrust(_ failure: DownloadError) async {
        failedSyncs += 1
        guard let store = context.store.current, failure.code == .diskFailure, failedSyncs < 3
        else { return fail(failure) }
        logger.warning("\(failure.message): what was not synced is fetched again")
        trustedEpoch = store.trustEpoch
        isDistrusting = true
        digests.distrust()
        await tell(.syncFailed(durable: store.durable))
    }

    /// The ledger and the checkpoint forget with the planner what is not believed any more.
    func restrict(to kept: RangeSet) {
        monitor.bytes.restrict(to: kept)
        context.store.current?.restrict(to: monitor.bytes.written)
        isDistrusting = false
    }
}
