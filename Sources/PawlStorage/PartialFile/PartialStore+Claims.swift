internal import CPlatform
internal import Glibc
package import PawlCore
internal import SystemPackage
internal import Synchronization

/// Claims: the ranges that the checkpoint lists as present.
extension PartialStore {
    /// Claims that these ranges are written, so that they survive a kill.
    ///
    /// It syncs nothing. The first claim gives the partial file its name.
    ///
    /// `epoch` is the epoch in which the ranges were written. If it has passed, nothing is done.
    package func saveCheckpoint(
        written: RangeSet,
        epoch: Int? = nil
    ) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            guard !state.isClosed, epoch ?? state.epoch == state.epoch else { return }
            state.written = written
            try save(&state)
        }
    }

    /// Starts writing to the disk, so that the next sync has little to wait for.
    package func startWriteback() {
        // If the system cannot do this, or the disk fails, the sync will report it.
        _ = pawl_start_writeback(file.descriptor)
    }

    /// Restricts the claims to these ranges.
    ///
    /// The next checkpoint contains the change.
    package func restrict(to kept: RangeSet) {
        state.withLock { state in
            let (written, durable) = (state.written, state.durable)
            state.written = written.intersection(kept)
            state.durable = durable.intersection(kept)
            // Bytes that are written there again have another checksum.
            if state.written != written || state.durable != durable { state.tails.removeAll() }
        }
    }

    /// Makes these ranges durable and then claims it, so that they survive a power cut.
    ///
    /// If the disk fails, everything that was not durable before is no longer claimed and must be
    /// fetched again: after a failed sync the kernel's pages cannot be trusted.
    ///
    /// `epoch` is the epoch in which the ranges were written. If it has passed, nothing is done.
    package func sync(written: RangeSet, epoch: Int? = nil) throws(DownloadError) {
        let start: (epoch: Int, isNameDurable: Bool)? = try state.withLock {
            (state) throws(DownloadError) in
            guard !state.isClosed, epoch ?? state.epoch == state.epoch else { return nil }
            state.written.formUnion(written)
            if !state.isNamed { try save(&state) }
            return (state.epoch, state.isNameDurable)
        }
        guard let start else { return }
        try syncTurn.withLock { (_) throws(DownloadError) in
            // The file may have been emptied while this waited.
            guard state.withLock({ !$0.isClosed && $0.epoch == start.epoch }) else { return }
            // Naming the file has changed more than its data.
            try syncFile(fully: !start.isNameDurable)
            try claimDurable(written, epoch: start.epoch)
        }
    }

    /// Forgets all bytes, because another representation begins.
    ///
    /// The checkpoint durably contains this before the first byte is removed.
    ///
    /// `mark` is that of the source's URL; `nil` keeps the file's mark.
    package func reset(
        representation: Representation,
        source: String,
        mark: SourceMark? = nil
    ) throws(DownloadError) {
        try syncTurn.withLock { (_) throws(DownloadError) in
            let pending: (OpenFile, sequence: UInt64)? = try state.withLock {
                (state) throws(DownloadError) in
                guard !state.isClosed else { return nil }
                forgetBytes(&state, keeping: RangeSet())
                state.representation = representation
                state.source = source
                state.mark = mark ?? state.mark
                // An adopted file has no checkpoint yet, and must not be found without one.
                if state.isNamed { try save(&state) }
                return state.checkpoint?.syncBegan()
            }
            if let (checkpoint, sequence) = pending {
                try syncCheckpoint(checkpoint, sequence: sequence)
            }
            try attempt(.truncate, paths.partial) { () throws(Errno) in try file.truncate(to: 0) }
        }
    }

    /// Syncs the file.
    ///
    /// Called with `syncTurn` held.
    func syncFile(fully: Bool) throws(DownloadError) {
        do throws(Errno) {
            let sync = fully ? settings.syncAll : settings.syncData
            try retrying { sync(file.descriptor) }
        } catch {
            distrust()
            throw syncFailure(error)
        }
    }

    private func syncFailure(_ errno: Errno) -> DownloadError {
        let plain = DownloadError(errno, while: .sync, paths.partial)
        guard plain.code != .diskFull else { return plain }
        return DownloadError(
            .diskFailure,
            plain.message,
            advice: plain.advice,
            context: plain.context
        )
    }

    /// Revokes the claims of everything that was not durable; the checkpoint must not keep them.
    private func distrust() {
        state.withLock { state in
            forgetBytes(&state, keeping: state.durable)
            // The failed sync is the error to report. If this fails too, the old claims stay, and
            // their tails are compared before they are trusted.
            try? writeCheckpoint(&state)
        }
    }

    private func forgetBytes(_ state: inout State, keeping kept: RangeSet) {
        state.epoch += 1
        state.tails.removeAll()
        state.written = kept
        state.durable = kept
    }

    private func claimDurable(_ synced: RangeSet, epoch: Int) throws(DownloadError) {
        let checkpoint: (OpenFile, sequence: UInt64)? = try state.withLock {
            (state) throws(DownloadError) in
            // There was a reset or another failed sync meanwhile, so other bytes were synced than
            // intended.
            guard !state.isClosed, state.epoch == epoch else { return nil }
            state.durable.formUnion(synced)
            try save(&state)
            return state.checkpoint?.syncBegan()
        }
        guard let (checkpointFile, sequence) = checkpoint else { return }
        try syncCheckpoint(checkpointFile, sequence: sequence)
    }

    /// Syncs the checkpoint outside the state's lock, so that claims can continue while the disk is
    /// slow.
    private func syncCheckpoint(
        _ checkpoint: OpenFile,
        sequence: UInt64
    ) throws(DownloadError) {
        let isNameDurable = state.withLock { $0.isNameDurable }
        let result = Result { () throws(Errno) in
            try checkpoint.syncData()
            if !isNameDurable { try paths.folder.syncFolder() }
        }
        state.withLock { state in
            var succeeded = false
            if case .success = result { succeeded = true }
            state.checkpoint?.syncEnded(checkpoint, sequence: sequence, succeeded: succeeded)
            state.isNameDurable = state.isNameDurable || succeeded
        }
        try attempt(.sync, paths.checkpoint) { () throws(Errno) in try result.get() }
    }

    /// Writes a checkpoint, and names the partial file if it has no name.
    private func save(_ state: inout State) throws(DownloadError) {
        guard state.checkpoint == nil || !state.isNamed else { return try writeCheckpoint(&state) }
        try claimNames(try checkpoint(&state), &state)
    }

    func writeCheckpoint(_ state: inout State) throws(DownloadError) {
        guard state.checkpoint != nil else { return }
        let checkpoint = try checkpoint(&state)
        try state.checkpoint?.write(checkpoint)
        state.latest = checkpoint
    }

    /// Returns a checkpoint with everything that can be claimed now.
    private func checkpoint(_ state: inout State) throws(DownloadError) -> Checkpoint {
        // Durable bytes are written bytes, whichever of the two claims came last.
        var written = state.written
        written.formUnion(state.durable)
        var tails = state.tails
        var durable = state.durable
        // Bytes after the end do not belong to the representation.
        if let total = state.representation.total {
            written.remove(ByteRange(total, .max))
            durable.remove(ByteRange(total, .max))
        }
        let claims = try attempt(.read, paths.partial) { () throws(Errno) in
            try tails.claims(written, durable, in: file)
        }
        state.tails = tails
        var checkpoint = Checkpoint()
        checkpoint.bootIdentity = settings.boot.text
        checkpoint.source = state.source
        checkpoint.mark = state.mark
        checkpoint.targetName = paths.targetName
        checkpoint.representation = state.representation
        checkpoint.createdAt = state.createdAt
        checkpoint.updatedAt = Int64(time(nil))
        checkpoint.writtenClaims = claims.written
        checkpoint.durableClaims = claims.durable
        return checkpoint
    }
}
