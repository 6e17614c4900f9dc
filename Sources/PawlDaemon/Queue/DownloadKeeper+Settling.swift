internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// What an earlier daemon was about to do on the disk when it ended.
extension DownloadKeeper {
    private struct Left {
        var intention: Intention
        /// What the file is to be called, where somebody has asked for that.
        var newName: String?
        /// Where its partial file was.
        var partial: [String]
    }

    private struct Settled {
        var intention: Intention
        var file: WrittenFile
        /// Where the file is; nil where it has not got its name.
        var path: String?
        /// Whether its folder could be looked at.
        var isKnown = true
    }

    /// Looks which files have got their names, and takes over what is still to be removed.
    func settleIntentions() throws(DownloadError) {
        let left = try store.writeInAnyCase { transaction in
            try transaction.intentions().map { intention in
                Left(
                    intention: intention,
                    newName: try transaction.newName(of: intention.download),
                    partial: try transaction.written(of: intention.download)
                        .filter { $0.kind == .partial }.map(\.path)
                )
            }
        }
        let intentions = left.map(\.intention)
        guard !intentions.isEmpty else { return }
        let settled = left.compactMap { look($0) }
        let removals = intentions.compactMap(Self.discard)
        let (more, last) = try store.writeInAnyCase { transaction in
            var more: [Discard] = []
            for item in settled { more += try settle(item, removals, transaction) }
            return (more, try transaction.lastEvent())
        }
        news.published(last)
        discards += removals + more
        hold(discards)
        logger.notice("left to be done by an earlier daemon: \(intentions.count)")
    }

    private static func discard(_ intention: Intention) -> Discard? {
        guard case .remove(let removal) = intention.deed else { return nil }
        return Discard(
            intention: intention.id,
            download: intention.download,
            removal: removal,
            root: intention.root
        )
    }

    /// Nil for what is none of a complete file.
    private func look(_ left: Left) -> Settled? {
        let intention = left.intention
        guard case .finish(var file) = intention.deed else { return nil }
        var settled = Settled(intention: intention, file: file)
        var place: ConfinedFolder?
        let shown = file.path
        if let root = intention.root {
            place = try? ConfinedFolder(PathNames.folder(of: shown), in: root, creates: false)
            guard let place else {
                settled.isKnown = false
                return settled
            }
            file.path = place.inside(shown)
        } else if !LeftoverNames.isFolder(PathNames.folder(of: shown)) {
            settled.isKnown = false
            return settled
        }
        if let found = LeftoverNames.find(file, or: left.newName.map { [$0] } ?? []) {
            settled.path = place?.shown(found) ?? found
            tidy(file, left.partial.map { place?.inside($0) ?? $0 })
        } else {
            LeftoverNames.removeDrafts(of: file)
        }
        withExtendedLifetime(place) {}
        return settled
    }

    private func tidy(_ file: WrittenFile, _ partial: [String]) {
        do throws(DownloadError) {
            try LeftoverNames.removeCheckpoints(of: file, partial: partial)
        } catch {
            logger.warning("a checkpoint was not removed: \(error)")
        }
    }

    private func settle(
        _ settled: Settled,
        _ removals: [Discard],
        _ transaction: StoreTransaction
    ) throws -> [Discard] {
        let id = settled.intention.download
        // Its disk may not be mounted: the next start looks again, unless a run ends before.
        guard try settled.isKnown || transaction.download(id) == nil else { return [] }
        guard let path = settled.path else {
            // It goes on from what is there, and says so anew.
            try transaction.fulfil([settled.intention.id])
            return []
        }
        var file = settled.file
        file.path = path
        try transaction.fulfil([settled.intention.id])
        guard var row = try transaction.download(id) else {
            guard removals.contains(where: { $0.download == id }) else { return [] }
            let root = settled.intention.root
            return [try Self.intend(Removal([file]), for: id, root: root, transaction)]
                .compactMap(\.self)
        }
        try transaction.note(file, of: id)
        guard row.state != .finished else { return [] }
        if file.kind == .corrupt {
            fail(&row, Self.corrupt(path))
            try transaction.append(.failed, row, at: Date())
        } else {
            finish(&row, path)
            (row.completedBytes, row.totalBytes) = (file.stamp.size, file.stamp.size)
            try transaction.setNewName(nil, of: id)
            try transaction.setWasThere(false, id)
            try transaction.forgetRequest(of: id)
            try transaction.append(.finished, row, at: Date())
        }
        try transaction.save(row)
        try transaction.forgetStarts(of: id)
        return []
    }

    private static func corrupt(_ path: String) -> DownloadError {
        DownloadError(
            .checksumMismatch,
            "the bytes do not have the digest that they should",
            advice: "the bytes are kept as \(path): look whether the digest is right"
        )
    }
}
