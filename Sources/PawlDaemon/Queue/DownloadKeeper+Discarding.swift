internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// What is thrown away, and what waits for that.
extension DownloadKeeper {
    /// Puts a download in line, once nothing of it is being thrown away.
    func wait(_ entry: QueueScheduler.Entry) {
        runningPlaces.leave(entry.id)
        if discarding.contains(entry.id) {
            heldBack[entry.id] = entry
        } else {
            scheduler.wait(entry)
        }
    }

    func leave(_ id: Int64) {
        heldBack[id] = nil
        runningPlaces.leave(id)
        scheduler.leave(id)
    }

    func hold(_ discards: [Discard]) { discarding.formUnion(discards.map(\.download)) }

    /// Throws all of it away, at the same time; returns what is still there, in their order.
    func carryOut(_ discards: [Discard]) async -> [WireNotRemoved] {
        guard !discards.isEmpty else { return [] }
        hold(discards)
        let (session, logger) = (session, logger)
        let left = await withTaskGroup(of: (Int, [WireNotRemoved]).self) { group in
            for (index, discard) in discards.enumerated() {
                group.addTask { (index, await discard.carryOut(in: session, logger)) }
            }
            var left: [Int: [WireNotRemoved]] = [:]
            for await (index, files) in group { left[index] = files }
            return left
        }
        var all: [WireNotRemoved] = []
        for (index, discard) in discards.enumerated() {
            all += left[index] ?? []
            if let kept = await discard.kept() { all.append(kept) }
        }
        fulfil(discards.map(\.intention))
        for discard in discards { release(discard.download) }
        return all
    }

    /// What cannot be written now is written with the next change; after a kill it is carried out again,
    /// which finds nothing more to do.
    private func fulfil(_ intentions: [Int64]) {
        fulfilled += intentions
        do throws(DownloadError) {
            let done = fulfilled
            try store.writeInAnyCase { try $0.fulfil(done) }
            fulfilled = []
            store.restoreReserve()
        } catch {
            logger.warning("what was removed is not noted yet: \(error)")
        }
    }

    private func release(_ id: Int64) {
        discarding.remove(id)
        guard let entry = heldBack.removeValue(forKey: id) else { return }
        scheduler.wait(entry)
        bell.ring()
    }

    // MARK: - What goes

    /// Which files of a download go; nil where there are none.
    ///
    /// `running`: the partial file of a run that is going. `all`: also what is complete.
    static func removal(
        of row: WireDownload,
        all: Bool,
        running: WrittenFile? = nil,
        _ transaction: StoreTransaction
    ) throws -> Removal? {
        var files = try transaction.written(of: row.id)
        if let running, !files.contains(where: running.isSameFile) { files.append(running) }
        let hasPartial = files.contains { $0.kind == .partial }
        let hasFinished = files.contains { $0.kind == .finished }
        var removal = Removal(all ? files : files.filter { $0.kind == .partial })
        if row.state == .finished {
            guard all, !hasFinished, let path = row.path else {
                return removal.isEmpty ? nil : removal
            }
            if try transaction.wasThere(row.id) {
                removal.kept = path
            } else {
                removal.unrecorded = Removal.Unrecorded(path: path, size: row.completedBytes)
            }
        } else if !hasPartial, row.state != .cancelled, let path = row.path {
            removal.unrecorded = Removal.Unrecorded(path: path)
        }
        return removal.isEmpty ? nil : removal
    }

    /// Writes down that files are to go.
    static func intend(
        _ removal: Removal?,
        for id: Int64,
        root: String?,
        _ transaction: StoreTransaction
    ) throws -> Discard? {
        guard let removal, !removal.isEmpty else { return nil }
        let intention = try transaction.intend(.remove(removal), for: id, root: root)
        return Discard(intention: intention, download: id, removal: removal, root: root)
    }
}
