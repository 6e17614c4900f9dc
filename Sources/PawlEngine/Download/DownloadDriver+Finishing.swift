internal import Logging
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// The end of a download: the file is verified and named, or kept for the next run.
extension DownloadDriver {
    /// Finishes the file after all its bytes have been received.
    func complete(_ total: Int64) async {
        guard let store = context.store.current else {
            return fail(DownloadError(.unknown, "the download ended without a file"))
        }
        monitor.entered(.verifying)
        let digest: ContentDigest?
        do throws(DownloadError) {
            digest = try await digests.verify(store, total: total, stop)
        } catch {
            return await keepAsCorrupt(store, error)
        }
        do throws(DownloadError) {
            try await name(store, total, digest)
        } catch {
            guard store.trustEpoch != trustedEpoch else { return fail(error) }
            await distrust(error)
        }
    }

    private func name(
        _ store: PartialStore,
        _ total: Int64,
        _ digest: ContentDigest?
    ) async throws(DownloadError) {
        let name = try await finisher.finish(store, total: total, epoch: trustedEpoch)
        monitor.named(name.path.lastComponent?.string ?? "")
        var downloaded = DownloadedFile(path: name.path.string, byteCount: total)
        downloaded.wasAlreadyThere = name.wasThere
        downloaded.verifiedDigest = digest
        downloaded.isLengthVerified = isLengthVerified
        downloaded.contentEncoding = planner.representation?.contentEncoding
        outcome = .success(downloaded)
    }

    private func keepAsCorrupt(_ store: PartialStore, _ error: DownloadError) async {
        guard error.code == .checksumMismatch else { return fail(error) }
        await attempt { () async throws(DownloadError) in
            let place = try await self.finisher.keepAsCorrupt(store, error)
            self.context.store.current = nil
            throw DownloadError(
                .checksumMismatch,
                error.message,
                advice: "the bytes are kept in \(place); "
                    + (self.adopted == nil
                        ? error.advice
                        : "the adopted part may be wrong: run the command again to fetch the whole file")
            )
        }
    }

    /// Ends the download without a transfer, because the file exists already.
    func finishEarly(_ path: FilePath) async throws(DownloadError) {
        let size = try await engine.disk.run { () throws(DownloadError) in
            try ExistingFile.size(path)
        }
        monitor.named(path.lastComponent?.string ?? "")
        var file = DownloadedFile(path: path.string, byteCount: size)
        file.wasAlreadyThere = true
        outcome = .success(file)
    }

    /// Ends the running transfers and keeps the bytes received so far.
    ///
    /// `unread` are the messages that arrived together with the one that ended the download.
    func shutDown(_ unread: [DriverMessage]) async {
        for action in follow(.abandoned) { _ = await perform(action) }
        for running in transfers.values { running.transfer.cancel() }
        for message in unread { await receiveAtEnd(message) }
        while !transfers.isEmpty {
            await mailbox.waitIgnoringCancellation()
            for message in mailbox.take() { await receiveAtEnd(message) }
        }
        // This returns a slot that was granted after the last check.
        for message in mailbox.take() { await receiveAtEnd(message) }
        guard let store = context.store.current else { return }
        if case .failure(let error) = outcome { await keep(store, error) }
        store.close()
    }

    private func receiveAtEnd(_ message: DriverMessage) async {
        switch message {
        case .transferEnded(let id, let end, _):
            guard let running = transfers[id] else { return }
            await ended(id, offset: running.cursor.countedEnd, end.outcome)
        case .arrived(let id, let body):
            await keepCollected(body)
            await ended(id, offset: Int64(body.bytes.count), .completed)
        case .overdue(_, let body): await keepCollected(body)
        case .brokeOff(let id, let body, let end):
            await keepCollected(body)
            await ended(id, offset: 0, end.outcome)
        case .slotGranted(let host): release(host)
        default: break
        }
    }

    /// Reports an end to the planner whose actions are no longer carried out.
    func ended(
        _ id: TransferID,
        offset: Int64,
        _ outcome: TransferOutcome
    ) async {
        guard let running = transfers.removeValue(forKey: id) else { return }
        monitor.transferEnded(TransferEnd(outcome), running.cursor)
        monitor.bytes.ended(id)
        for action in follow(.transferEnded(id, offset: offset, outcome)) {
            _ = await perform(action)
        }
    }

    /// Restores another tool's file, because no response that fits it was accepted.
    private func giveBack(_ store: PartialStore, _ adopted: RangeSet) async {
        do throws(DownloadError) {
            try await engine.disk.run { () throws(DownloadError) in
                try store.cut(to: adopted.frontier)
            }
        } catch {
            logger.warning("cannot truncate the partial file: \(error)")
        }
    }

    /// Adds to the error of a full disk which bytes are kept nevertheless.
    private func tellRoom(_ error: DownloadError, _ checkpoint: Checkpoint?) {
        var error = error
        let count = checkpoint.map { max($0.written.count, $0.durable.count) } ?? 0
        error.advice +=
            count > 0
            ? "; the \(count) bytes received so far are kept"
            : "; none of the received bytes are kept"
        outcome = .failure(error)
    }

    private func keep(_ store: PartialStore, _ error: DownloadError) async {
        // A sync may have failed after the last message was read, or may fail now.
        let epoch = store.trustEpoch
        let isTrusted = !isDistrusting && epoch == trustedEpoch
        let written = isTrusted ? monitor.bytes.written : store.durable
        // The bytes belong to another download, so this one may neither claim nor delete them.
        guard !isBorrowing else { return }
        if let adopted, planner.isAdopting { return await giveBack(store, adopted) }
        // If another download has the name, the bytes received beside it are of no use to anybody.
        let keeps =
            isResumable && !written.isEmpty && error.code != .alreadyRunning
            // A file that has lost its name cannot be found again.
            && store.isInPlace
            && job.control?.discards != true
            // On a full disk, bytes that cannot be resumed only take up space.
            && (error.code != .diskFull || planner.canResume(store.representation))
        do throws(DownloadError) {
            try await engine.disk.run { () throws(DownloadError) in
                guard keeps else { return try store.discard() }
                // The claim comes first: it survives a kill even if the sync takes long.
                try store.saveCheckpoint(written: written, epoch: epoch)
            }
            if !keeps, job.control?.discards != true { monitor.discarded() }
            if keeps {
                try await engine.syncs.run { () throws(DownloadError) in
                    try store.sync(written: written, epoch: epoch)
                }
            }
        } catch {
            logger.warning("cannot keep the received bytes: \(error)")
        }
        if error.code == .diskFull {
            tellRoom(error, store.latestCheckpoint)
        } else if !planner.canResume(store.representation) {
            outcome = .failure(error.withoutGoingOn)
        }
        guard keeps, error.code == .interrupted else { return }
        let kept = store.trustEpoch == epoch ? written : store.durable
        guard !kept.isEmpty else {
            await attempt { () async throws(DownloadError) in
                try await self.engine.disk.run { () throws(DownloadError) in try store.discard() }
            }
            return
        }
        outcome = .failure(
            DownloadError(
                .interrupted,
                "stopped: \(kept.count) bytes are kept in \(store.paths.partial)",
                advice: planner.canResume(store.representation)
                    ? DownloadError.resumeAdvice : DownloadError.startOverAdvice
            )
        )
    }
}
