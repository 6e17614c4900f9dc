internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Records in the store how runs have ended.
struct RunEndRecorder {
    let parts: QueueParts

    private var running: RunningDownloads { parts.environment.running }

    /// What follows from the ends once they are recorded.
    struct Outcome {
        /// The downloads that are tried again, or start again.
        var retries: [QueueScheduler.Entry] = []
        var finished: [Int64] = []
        /// The removals of the files that cancelled and removed downloads have left.
        var removals: [RemovalJob] = []
        /// The number of downloads that failed for good.
        var failures = 0
    }

    /// Records the end of a run.
    ///
    /// `newName`: the result of a renaming. `corrupt`: the file that the run has kept as corrupt.
    func record(
        _ end: EndedRun,
        _ newName: NewName?,
        _ corrupt: WrittenFile?,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        try transaction.intentions.deleteFinishing(of: end.id)
        try transaction.intentions.delete(parts.removals.replaced(atEndOf: end.id))
        guard var row = try transaction.downloads.find(end.id) else {
            return try recordRemoved(end, corrupt, transaction, &outcome)
        }
        // A transaction whose outcome could not be found out has recorded this end.
        if case .success = end.result, row.state == .finished {
            return outcome.finished.append(row.id)
        }
        let progress = end.task.currentProgress
        // The bytes received for a cancelled download are removed.
        row.completedBytes = row.state == .cancelled ? 0 : progress.completedBytes
        row.totalBytes = progress.totalBytes ?? row.totalBytes
        row.path = running.path(of: row.id) ?? row.path
        row.response = end.task.response.map { WireResponse($0) } ?? row.response
        row.add(end.task.metrics)
        let isRenamed = try transaction.renamings.newName(of: row.id) != nil
        if !progress.name.isEmpty, !isRenamed { row.name = progress.name }
        if let corrupt { try transaction.writtenFiles.record(corrupt, of: row.id) }
        switch end.result {
        case .success(let file) where row.state == .cancelled && file.wasAlreadyThere:
            // The file is not the download's: there is at most a partial file to be removed.
            let partial = running.partialFile(of: row.id)
            try recordRemoval(of: partial, &row, transaction, &outcome)
        case .success(let file):
            let written = end.moved ?? parts.announcements.finishingFile(of: row.id)
            try recordFinished(file, written, &row, newName, transaction)
            if end.moved != nil, let path = row.path {
                try transaction.downloads.setConfinement(path.pathFolder, of: row.id)
            }
            outcome.finished.append(row.id)
        case .failure(let error):
            let partial = running.partialFile(of: row.id)
            if let partial, corrupt == nil {
                try transaction.writtenFiles.record(partial, of: row.id)
            }
            // If the download was paused before it was cancelled, its run has kept the received
            // bytes.
            if row.state == .cancelled {
                try recordRemoval(of: partial, &row, transaction, &outcome)
            }
            try recordFailure(error, progress, &row, transaction, &outcome)
        }
        try transaction.downloads.save(row)
        try transaction.attempts.forgetStarts(of: row.id)
    }

    /// Records the failure of a run that could not start.
    func record(
        _ run: EndedRun.Unstarted,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        guard var row = try transaction.downloads.find(run.id), row.state.isActive else { return }
        row.fail(run.error, at: transaction.now)
        outcome.failures += 1
        try transaction.downloads.save(row)
        try transaction.attempts.forgetStarts(of: row.id)
        try transaction.events.append(.failed, row, at: transaction.now)
        try parts.hooks.record(.error, row, transaction)
    }

    /// Finds the files that runs have kept because their digest is wrong.
    func findCorrupt(of ends: [EndedRun]) -> [Int64: WrittenFile] {
        var found: [Int64: WrittenFile] = [:]
        for end in ends {
            guard let announced = parts.announcements.finishingFile(of: end.id),
                announced.kind == .corrupt, case .failure = end.result
            else { continue }
            let folder = running.folder(of: end.id)
            var file = announced
            file.path = folder?.inside(file.path) ?? file.path
            guard let path = LeftoverFiles.find(file) else { continue }
            file.path = folder?.shown(path) ?? path
            found[end.id] = file
        }
        return found
    }

    // MARK: - Kinds of ends

    /// Records the end of a run whose row was removed meanwhile.
    private func recordRemoved(
        _ end: EndedRun,
        _ corrupt: WrittenFile?,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        if case .success(let file) = end.result {
            try transaction.uploads.finish(end.id)
            try transaction.finishRemoved(
                end.id,
                at: running.folder(of: end.id)?.shown(file.path) ?? file.path,
                size: file.byteCount,
                file.wasAlreadyThere
                    ? nil : end.moved ?? parts.announcements.finishingFile(of: end.id),
                wasMoved: end.moved != nil
            )
        }
        guard let job = parts.removals.jobAfterRun(of: end.id) else { return }
        outcome.removals.append(job)
        // The run may have finished or have kept a corrupt file before it was stopped.
        var last = corrupt
        if case .success(let file) = end.result, !file.wasAlreadyThere {
            last = end.moved ?? parts.announcements.finishingFile(of: end.id)
            last?.path = running.folder(of: end.id)?.shown(file.path) ?? file.path
        }
        guard let last else { return }
        // A rule may have moved it out of the folder.
        let root = job.root == nil ? nil : end.moved?.path.pathFolder ?? job.root
        let more = try PendingRemovals.record(
            Removal([last]),
            of: end.id,
            root: root,
            transaction
        )
        if let more { outcome.removals.append(more) }
    }

    private func recordFinished(
        _ file: DownloadedFile,
        _ written: WrittenFile?,
        _ row: inout WireDownload,
        _ newName: NewName?,
        _ transaction: StoreTransaction
    ) throws {
        let folder = running.folder(of: row.id)
        let path = newName?.path ?? folder?.shown(file.path) ?? file.path
        row.finish(at: path, transaction.now)
        row.completedBytes = file.byteCount
        row.totalBytes = file.byteCount
        try transaction.renamings.set(nil, of: row.id)
        try transaction.downloads.setWasAlreadyThere(file.wasAlreadyThere, of: row.id)
        try transaction.writtenFiles.forgetPartialFiles(of: row.id)
        if !file.wasAlreadyThere, var written, let path = row.path {
            written.path = path
            try transaction.writtenFiles.record(written, of: row.id)
        }
        try parts.hooks.record(.complete, row, transaction)
        try transaction.requests.forget(row.id)
        if row.isObject { try transaction.uploads.finish(row.id) }
        try transaction.errorResponses.forget(row.id)
        try transaction.events.append(.finished, row, at: transaction.now)
    }

    /// Records that the partial file of a cancelled download is removed.
    private func recordRemoval(
        of partial: WrittenFile?,
        _ row: inout WireDownload,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        let removal = try PendingRemovals.removal(
            of: row,
            all: false,
            running: partial,
            transaction
        )
        let root = try transaction.requests.confiningFolder(of: row.id)
        let job = try PendingRemovals.record(removal, of: row.id, root: root, transaction)
        if let job { outcome.removals.append(job) }
        try transaction.writtenFiles.forgetPartialFiles(of: row.id)
        row.path = nil
    }

    private func recordFailure(
        _ error: DownloadError,
        _ progress: DownloadProgress,
        _ row: inout WireDownload,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        let error = running.folder(of: row.id)?.shown(error) ?? error
        // If a client paused or cancelled the download, an event was recorded at that time.
        guard row.state.isActive, !parts.control.isShuttingDown else { return }
        guard !parts.control.isRestarting(row.id) else {
            row.state = .waiting
            outcome.retries.append(QueueScheduler.Entry(row))
            return
        }
        if let entry = try parts.retries.planRetry(of: &row, after: error, progress, transaction) {
            outcome.retries.append(entry)
            try transaction.events.append(.retrying, row, at: transaction.now)
            return
        }
        row.fail(error, at: transaction.now)
        outcome.failures += 1
        let event = try transaction.events.append(.failed, row, at: transaction.now)
        try transaction.errorResponses.keep(error.errorResponse, of: row, at: event)
        try parts.hooks.record(.error, row, transaction)
    }
}

extension WireDownload {
    mutating func finish(at path: String, _ now: Date) {
        state = .finished
        self.path = path
        let last = path.pathNames.last
        name = last.map { (isObject ? $0.percentDecoded : String($0)).sanitized } ?? name
        problem = nil
        failures = nil
        endedAt = now
    }

    /// Whether the download becomes an object.
    var isObject: Bool { ObjectAddress.isOne(path ?? destination) }

    mutating func fail(_ error: DownloadError, at now: Date) {
        state = .failed
        problem = Problem(error)
        endedAt = now
    }
}

extension TaskState {
    /// Whether the download runs, with or without a network.
    var isActive: Bool { self == .running || self == .waitingForConnectivity }
}
