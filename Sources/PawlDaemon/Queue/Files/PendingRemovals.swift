internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The removals of files that the store has recorded, and that are to be carried out.
final class PendingRemovals {
    private let environment: QueueEnvironment
    /// The jobs that the loop of the queue carries out next.
    private var queued: [RemovalJob] = []
    /// The jobs of downloads that were removed with their files while they ran; a run may still
    /// finish.
    private var afterRun: [Int64: RemovalJob] = [:]
    /// The removals recorded while a cancelled download still ran.
    ///
    /// The end of its run records the final one and deletes these.
    private var cancelled: [Int64: [Int64]] = [:]
    /// The removals that were carried out, which the store has not recorded yet.
    private var done: [Int64] = []

    init(_ environment: QueueEnvironment) { self.environment = environment }

    // MARK: - Carrying out

    func queue(_ jobs: [RemovalJob]) { queued += jobs }

    /// Returns the queued jobs, which the caller carries out.
    func takeQueued() -> [RemovalJob] {
        defer { queued = [] }
        for job in queued { afterRun[job.download] = nil }
        return queued
    }

    /// The removals that were carried out, which the next transaction records.
    var unrecorded: [Int64] { done }

    func recorded(_ ids: [Int64]) { done.removeAll(where: ids.contains) }

    /// Records that removals were carried out.
    ///
    /// If the store cannot be written, a later transaction records them. After a kill they are
    /// carried out again, which finds nothing more to remove.
    func carriedOut(_ ids: [Int64]) {
        done += ids
        do throws(DownloadError) {
            let all = done
            try environment.store.writeInAnyCase { try $0.intentions.delete(all) }
            done = []
            environment.store.restoreReserve()
        } catch {
            environment.logger.warning("the removal of files was not recorded yet: \(error)")
        }
    }

    // MARK: - Runs

    /// Keeps a job until the run of a download that was removed has ended.
    func keep(_ job: RemovalJob?, untilEndOf id: Int64) { afterRun[id] = job }

    /// The job of a download that was removed while it ran.
    func jobAfterRun(of id: Int64) -> RemovalJob? { afterRun[id] }

    /// Lets the end of a run replace the removal of a download that was cancelled.
    func replace(_ intention: Int64, atEndOf id: Int64) {
        cancelled[id, default: []].append(intention)
    }

    /// The removals that the end of a run replaces.
    func replaced(atEndOf id: Int64) -> [Int64] { cancelled[id] ?? [] }

    func ended(_ id: Int64) { cancelled[id] = nil }

    // MARK: - What is removed

    /// Returns the files of a download to be removed; `nil` if there are none.
    ///
    /// `running`: the partial file of a run that has not ended. `all`: whether complete files are
    /// removed, too.
    static func removal(
        of row: WireDownload,
        all: Bool,
        running: WrittenFile? = nil,
        _ transaction: StoreTransaction
    ) throws -> Removal? {
        if row.isObject {
            let removal = Removal(objectKept: all && row.state == .finished ? row.path : nil)
            return removal.isEmpty ? nil : removal
        }
        var files = try transaction.writtenFiles.files(of: row.id)
        if let running, !files.contains(where: running.isSameFile) { files.append(running) }
        let hasPartial = files.contains { $0.kind == .partial }
        let hasFinished = files.contains { $0.kind == .finished }
        var removal = Removal(all ? files : files.filter { $0.kind == .partial })
        if row.state == .finished {
            guard all, !hasFinished, let path = row.path else {
                return removal.isEmpty ? nil : removal
            }
            if try transaction.downloads.wasAlreadyThere(row.id) {
                removal.kept = path
            } else {
                removal.unrecorded = Removal.Unrecorded(path: path, size: row.completedBytes)
            }
        } else if !hasPartial, row.state != .cancelled, let path = row.path {
            removal.unrecorded = Removal.Unrecorded(path: path)
        }
        return removal.isEmpty ? nil : removal
    }

    /// Adds what earlier removals of a download's files have left, and records that these are
    /// replaced.
    static func addLeft(
        of id: Int64,
        to removal: Removal?,
        _ transaction: StoreTransaction
    ) throws -> Removal? {
        let earlier = try transaction.intentions.removals(of: id)
        guard !earlier.isEmpty else { return removal }
        var all = removal ?? Removal()
        for (_, left) in earlier {
            all.files += left.files.filter { file in !all.files.contains(where: file.isSameFile) }
            all.unrecorded = all.unrecorded ?? left.unrecorded
        }
        try transaction.intentions.delete(earlier.map(\.id))
        return all.isEmpty ? nil : all
    }

    /// Records that files are to be removed; returns the job to do so after the commit.
    static func record(
        _ removal: Removal?,
        of id: Int64,
        root: String?,
        _ transaction: StoreTransaction
    ) throws -> RemovalJob? {
        guard let removal, !removal.isEmpty else { return nil }
        let intention = try transaction.intentions.add(.remove(removal), for: id, root: root)
        // The node with the files carries it out.
        guard try transaction.ownership.isHere(id) else { return nil }
        return RemovalJob(intention: intention, download: id, removal: removal, root: root)
    }
}
