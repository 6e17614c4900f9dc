internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Continues what an earlier daemon left unfinished: first its file operations, then its downloads.
struct StartupRecovery {
    let parts: QueueParts

    /// The maximum number of rows that one transaction reads.
    private static let pageSize = 5000

    func run() throws(DownloadError) {
        try finishIntentions()
        try loadDownloads()
    }

    /// Queues the downloads; those that ran come first.
    ///
    /// If several nodes share the queue, this one takes downloads later, and `parts.waiting` ignores
    /// them until then.
    /// A database limits the time of a transaction, so one transaction reads a part of them.
    private func loadDownloads() throws(DownloadError) {
        let store = parts.environment.store
        let (suspects, limits, labels) = try store.writeInAnyCase { transaction in
            try parts.renames.load(transaction)
            return (
                try transaction.attempts.suspects(starts: OwnershipTable.suspectStarts),
                try transaction.sessions.limits(), try transaction.labels.settings()
            )
        }
        parts.sessions.apply(limits)
        parts.labels.apply(labels)
        var (positions, last): ([Int64], Int64?) = ([], .min)
        var changed: [WireDownload] = []
        while let id = last {
            let (rows, changedRows) = try store.writeInAnyCase { try load(after: id, $0) }
            changed += changedRows
            for row in rows where row.state != .paused && row.state != .suspended {
                var entry = parts.retries.entry(of: row)
                entry.wasRunning = row.state.isActive
                entry.isSuspect = suspects.contains(row.id)
                parts.waiting.wait(entry)
            }
            positions += rows.map(\.position)
            last = rows.last?.id
        }
        parts.positions.set(StartOrder(positions))
        // Only now: if a page could not be read, the next start must know which downloads ran.
        try recordWaiting(changed.filter { !$0.state.isActive } + changed.filter(\.state.isActive))
    }

    /// Returns the next downloads as they were, and those of them that must be recorded again.
    private func load(
        after id: Int64,
        _ transaction: StoreTransaction
    ) throws -> (rows: [WireDownload], changed: [WireDownload]) {
        var (rows, changed): ([WireDownload], [WireDownload]) = ([], [])
        let isShared = parts.taken.isShared
        for var row in try transaction.downloads.unfinished(after: id, limit: Self.pageSize) {
            // Another node may run it.
            if !isShared || row.state == .waiting {
                let hasChanged = try parts.retries.load(&row, transaction)
                if !isShared, row.state.isActive || hasChanged { changed.append(row) }
            }
            rows.append(row)
        }
        return (rows, changed)
    }

    /// Records downloads, none of which runs.
    private func recordWaiting(_ rows: [WireDownload]) throws(DownloadError) {
        var rest = rows[...]
        while !rest.isEmpty {
            let page = rest.prefix(Self.pageSize)
            try parts.environment.store.writeInAnyCase { transaction in
                for var row in page {
                    if row.state.isActive { row.state = .waiting }
                    try transaction.downloads.save(row)
                }
            }
            rest = rest.dropFirst(page.count)
        }
    }

    // MARK: - File operations

    /// A file operation that an earlier daemon has not recorded as done.
    private struct Unfinished {
        var intention: Intention
        /// The name that a client has requested; `nil` if no renaming is pending.
        var newName: String?
        /// The paths of the partial files.
        var partial: [String]
        /// Whether the download is still in the list.
        var isListed: Bool
    }

    /// A complete file that was about to get its name when an earlier daemon ended.
    private struct RecoveredFile {
        var intention: Intention
        var file: WrittenFile
        /// The path of the file; `nil` if it does not have its name yet.
        var path: String?
        /// Whether its folder could be read.
        var isKnown = true
        /// The move that a rule asks for, if it was not carried out.
        var move: MoveJob?
        /// Whether a rule has moved it.
        var wasMoved = false
        /// The file under its old name, if its copy has its new name.
        var source: WrittenFile?
        /// The file where a rule has moved it, without a number, if its folder does not exist at this
        /// start.
        var missing: WrittenFile?
    }

    /// Records the complete files that have their names, and queues the removals.
    private func finishIntentions() throws(DownloadError) {
        let unfinished = try readUnfinished()
        let intentions = unfinished.map(\.intention)
        guard !intentions.isEmpty else { return }
        let moves = Self.moves(intentions)
        var files: [RecoveredFile] = []
        for item in unfinished {
            if let file = try find(item, moves[item.intention.download]) { files.append(file) }
        }
        for index in files.indices { try plan(&files[index]) }
        let jobs = intentions.compactMap(RemovalJob.init)
        let recovered = files.compactMap { file -> RecoveredMove? in
            guard file.path != nil, let move = file.move else { return nil }
            return RecoveredMove(job: move, finishing: file.intention.id)
        }
        let committed = try parts.environment.store.write(for: .endsSomething) { transaction in
            var more: [RemovalJob] = []
            for file in files where file.path == nil || file.move == nil {
                more += try record(file, jobs, transaction)
            }
            return more
        }
        parts.environment.notifier.published(committed.lastEvent)
        parts.queue(jobs + committed.value)
        parts.waiting.hold(recovered.map(\.job.download))
        parts.moves.queue(recovered)
        parts.environment.logger.notice(
            "file operations that an earlier daemon did not finish: \(intentions.count)"
        )
    }

    /// Reads the operations, a part of them per transaction.
    private func readUnfinished() throws(DownloadError) -> [Unfinished] {
        var (unfinished, last): ([Unfinished], Int64?) = ([], .min)
        while let id = last {
            let page = try parts.environment.store.writeInAnyCase { transaction in
                let page = try transaction.intentions.page(after: id, limit: Self.pageSize)
                let items = try page.intentions.map { try Self.unfinished($0, transaction) }
                return (items: items, last: page.last)
            }
            unfinished += page.items
            last = page.last
        }
        return unfinished
    }

    private static func unfinished(
        _ intention: Intention,
        _ transaction: StoreTransaction
    ) throws -> Unfinished {
        Unfinished(
            intention: intention,
            newName: try transaction.renamings.newName(of: intention.download),
            partial: try transaction.writtenFiles.files(of: intention.download)
                .filter { $0.kind == .partial }.map(\.path),
            isListed: try transaction.downloads.find(intention.download) != nil
        )
    }

    /// The moves, by download.
    private static func moves(_ intentions: [Intention]) -> [Int64: MoveJob] {
        var moves: [Int64: MoveJob] = [:]
        for intention in intentions {
            guard case .move(let file, let folder, let copy) = intention.operation else { continue }
            var move = MoveJob(
                download: intention.download,
                file: file,
                folder: folder,
                root: intention.root
            )
            move.copy = copy
            moves[intention.download] = move
        }
        return moves
    }

    /// Records the move of a file that had its name when the earlier daemon ended.
    private func plan(_ complete: inout RecoveredFile) throws(DownloadError) {
        guard let path = complete.path, complete.move == nil, !complete.wasMoved else { return }
        var file = complete.file
        file.path = path
        complete.move = try parts.moves.job(
            forRecovered: file,
            of: complete.intention.download
        )
    }

    /// Finds the file of an operation under its names, even where a rule has moved it; returns
    /// `nil` for other operations.
    private func find(
        _ unfinished: Unfinished,
        _ move: MoveJob?
    ) throws(DownloadError) -> RecoveredFile? {
        guard var complete = find(unfinished) else { return nil }
        guard let move else { return complete }
        let moved = try findMoved(move, unfinished)
        if let path = complete.path {
            var source = complete.file
            source.path = path
            if let moved, moved.stamp == move.copy, !moved.isSameFile(as: source),
                LeftoverFiles.syncFolder(of: moved.path)
            {
                (complete.file, complete.path, complete.wasMoved) = (moved, moved.path, true)
                complete.source = source
            } else if unfinished.isListed {
                // The file of a download that was removed is not moved: it is removed where it is.
                complete.move = move
                complete.move?.file.path = path
            }
        } else if complete.isKnown, let moved {
            (complete.file, complete.path, complete.wasMoved) = (moved, moved.path, true)
        } else if complete.isKnown, !LeftoverFiles.isFolder(move.folder) {
            // The move had created the folder.
            var missing = move.file
            missing.path = move.folder + move.file.path.pathFile
            missing.stamp = move.copy ?? missing.stamp
            (complete.isKnown, complete.missing) = (false, missing)
        }
        return complete
    }

    /// Finds the file where a rule has moved it.
    private func findMoved(
        _ move: MoveJob,
        _ unfinished: Unfinished
    ) throws(DownloadError) -> WrittenFile? {
        let store = parts.environment.store
        var failure: DownloadError?
        // The search may take long, so it is not part of a transaction.
        let found = LeftoverFiles.findMoved(
            move.file,
            copy: move.copy,
            in: move.folder,
            or: [unfinished.newName].compactMap(\.self)
        ) { stamp in
            do throws(DownloadError) {
                return try store.readBlocking {
                    try $0.writtenFiles.isRecorded(stamp, besides: move.download)
                }
            } catch {
                failure = error
                // A file that cannot be checked counts as another download's.
                return true
            }
        }
        if let failure, failure.code == .storeUnavailable { throw failure }
        return found
    }

    /// Finds the file of an operation under its names; returns `nil` for other operations.
    private func find(_ unfinished: Unfinished) -> RecoveredFile? {
        let intention = unfinished.intention
        guard case .finish(var file) = intention.operation else { return nil }
        var complete = RecoveredFile(intention: intention, file: file)
        var folder: ConfinedFolder?
        let shown = file.path
        if let root = intention.root {
            // A folder that cannot be opened is looked at again at the next start.
            folder = try? ConfinedFolder(shown.pathFolder, in: root, creates: false)
            guard let folder else {
                complete.isKnown = false
                return complete
            }
            file.path = folder.inside(shown)
        } else if !LeftoverFiles.isFolder(shown.pathFolder) {
            complete.isKnown = false
            return complete
        }
        if let found = LeftoverFiles.find(file, or: unfinished.newName.map { [$0] } ?? []) {
            complete.path = folder?.shown(found) ?? found
            removeCheckpoints(of: file, unfinished.partial.map { folder?.inside($0) ?? $0 })
        } else {
            LeftoverFiles.removeDrafts(of: file)
        }
        withExtendedLifetime(folder) {}
        return complete
    }

    private func removeCheckpoints(of file: WrittenFile, _ partial: [String]) {
        do throws(DownloadError) {
            try LeftoverFiles.removeCheckpoints(of: file, partial: partial)
        } catch {
            parts.environment.logger.warning("a checkpoint was not removed: \(error)")
        }
    }

    /// Records a complete file; returns its removal if its download was removed with its files, and
    /// that of its old name if its copy has the new one.
    private func record(
        _ complete: RecoveredFile,
        _ removals: [RemovalJob],
        _ transaction: StoreTransaction
    ) throws -> [RemovalJob] {
        let id = complete.intention.download
        // Its disk may not be mounted: the next start tries again, unless a run ends before.
        guard try complete.isKnown || transaction.downloads.find(id) == nil else {
            try recordMissing(complete, transaction)
            return []
        }
        // The move has been carried out, or there is no file to be moved.
        try transaction.intentions.deleteFinishing(of: id)
        let root = complete.intention.root
        var jobs: [RemovalJob] = []
        func remove(_ file: WrittenFile?, in root: String?) throws {
            let removal = file.map { Removal([$0]) }
            let job = try PendingRemovals.record(removal, of: id, root: root, transaction)
            if let job { jobs.append(job) }
        }
        let isRemoved = removals.contains { $0.download == id }
        // The next start with its disk removes it.
        if isRemoved, let missing = complete.missing {
            try remove(missing, in: root.map { _ in missing.path.pathFolder })
        }
        // Without a path, the download continues from its partial file and announces the file
        // again.
        guard let path = complete.path else { return jobs }
        var file = complete.file
        file.path = path
        try remove(complete.source, in: root)
        guard var row = try transaction.downloads.find(id) else {
            if file.kind == .finished {
                try transaction.finishRemoved(
                    id,
                    at: path,
                    size: file.stamp.size,
                    file,
                    wasMoved: complete.wasMoved
                )
            }
            guard isRemoved else { return jobs }
            // A rule may have moved it out of the folder.
            try remove(file, in: root.map { complete.wasMoved ? path.pathFolder : $0 })
            return jobs
        }
        try transaction.writtenFiles.record(file, of: id)
        if row.state != .finished {
            try recordEnd(of: &row, file, wasMoved: complete.wasMoved, transaction)
        }
        return jobs
    }

    /// Records the end of a download whose file is complete.
    private func recordEnd(
        of row: inout WireDownload,
        _ file: WrittenFile,
        wasMoved: Bool,
        _ transaction: StoreTransaction
    ) throws {
        let id = row.id
        if file.kind == .corrupt {
            row.fail(Self.corrupt(file.path), at: transaction.now)
            try transaction.events.append(.failed, row, at: transaction.now)
            try parts.hooks.record(.error, row, transaction)
        } else {
            row.finish(at: file.path, transaction.now)
            (row.completedBytes, row.totalBytes) = (file.stamp.size, file.stamp.size)
            try transaction.renamings.set(nil, of: id)
            try transaction.downloads.setWasAlreadyThere(false, of: id)
            try parts.hooks.record(.complete, row, transaction)
            try transaction.requests.forget(id)
            if wasMoved {
                try transaction.downloads.setConfinement(file.path.pathFolder, of: id)
            }
            try transaction.events.append(.finished, row, at: transaction.now)
        }
        try transaction.downloads.save(row)
        try transaction.attempts.forgetStarts(of: id)
    }

    /// Records that the folder with the file of a download does not exist: its disk may not be
    /// mounted.
    ///
    /// The next start looks again. Meanwhile the download must not receive everything again unless
    /// the user wants that.
    private func recordMissing(_ complete: RecoveredFile, _ transaction: StoreTransaction) throws {
        guard let folder = complete.missing?.path.pathFolder,
            var row = try transaction.downloads.find(complete.intention.download),
            row.state.isActive || row.state == .waiting
        else { return }
        row.fail(Self.missing(folder, row.id), at: transaction.now)
        try transaction.downloads.save(row)
        try transaction.events.append(.failed, row, at: transaction.now)
        try parts.hooks.record(.error, row, transaction)
    }

    private static func missing(_ folder: String, _ id: Int64) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "the complete file was moved to \(folder.sanitized), which does not exist",
            advice: "mount its disk and restart the daemon, or fetch the file again: "
                + "pawl resume \(id)"
        )
    }

    /// Records the end of a download whose file was moved now; returns the removals of the files of a
    /// download that was removed meanwhile.
    ///
    /// `moved` is `nil` if the file stays where it is.
    func record(
        _ move: RecoveredMove,
        _ moved: WrittenFile?
    ) throws(DownloadError) -> [RemovalJob] {
        let id = move.job.download
        let file = try parts.renames.rename(
            recovered: moved ?? move.job.file,
            of: id,
            root: moved == nil ? move.job.root : nil
        )
        var complete = RecoveredFile(
            intention: Intention(
                id: move.finishing,
                download: move.job.download,
                operation: .finish(file),
                root: move.job.root
            ),
            file: file,
            path: file.path
        )
        complete.wasMoved = moved != nil
        let removals = [parts.removals.jobAfterRun(of: id)].compactMap(\.self)
        let committed = try parts.environment.store.write(for: .endsSomething) {
            [complete] transaction in
            try record(complete, removals, transaction)
        }
        parts.renames.recorded([id])
        parts.renames.ended(id)
        parts.environment.notifier.published(committed.lastEvent)
        return removals + committed.value
    }

    private static func corrupt(_ path: String) -> DownloadError {
        DownloadError(
            .checksumMismatch,
            "the bytes do not match their checksum",
            advice: "the bytes are kept as \(path): check the expected digest"
        )
    }
}
