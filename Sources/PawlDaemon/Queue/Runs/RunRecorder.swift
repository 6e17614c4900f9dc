internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Records the names and the progress of running downloads, so that a later removal knows their
/// files.
final class RunRecorder {
    private let environment: QueueEnvironment
    private let waiting: WaitingDownloads
    private let taken: TakenDownloads
    /// What the store knows of the running downloads.
    private var recorded: [Int64: FileIdentity] = [:]
    /// Whether the last attempt to write has failed.
    private var isBehind = false

    init(_ parts: QueueParts) {
        (environment, waiting, taken) = (parts.environment, parts.waiting, parts.taken)
    }

    /// The file that a run writes.
    private struct FileIdentity: Hashable {
        var path: String
        var partial: String?
        var inode: UInt64?
        var mark: String?
    }

    private struct Run {
        var id: Int64
        var path: String
        var partial: WrittenFile?
        var response: WireResponse?
        var progress: DownloadProgress

        var identity: FileIdentity {
            FileIdentity(
                path: path,
                partial: partial?.path,
                inode: partial?.stamp.inode,
                mark: partial?.mark
            )
        }
    }

    /// Records the runs whose file has changed.
    func record() {
        let running = environment.running
        let changed = running.all.compactMap { id, task in
            running.path(of: id).map { path in
                Run(
                    id: id,
                    path: path,
                    partial: running.partialFile(of: id),
                    response: task.response.map { WireResponse($0) },
                    progress: task.currentProgress
                )
            }
        }.filter { recorded[$0.id] != $0.identity }
        guard !changed.isEmpty else { return }
        for run in changed where waiting.learn(run.path, ofRun: run.id) {
            environment.work.send()
        }
        do throws(DownloadError) {
            try environment.store.write(for: .repeatable) { transaction in
                let stale = try taken.stale(of: changed.map(\.id), transaction)
                for run in changed where !stale.contains(run.id) {
                    try Self.record(run, transaction)
                }
            }.value
            for run in changed { recorded[run.id] = run.identity }
            isBehind = false
        } catch {
            // Each further attempt would add a line.
            if !isBehind {
                environment.logger.warning("the names of downloads were not recorded: \(error)")
            }
            isBehind = true
        }
        let all = running.all
        recorded = recorded.filter { all[$0.key] != nil }
    }

    private static func record(_ run: Run, _ transaction: StoreTransaction) throws {
        guard var row = try transaction.downloads.find(run.id), !row.state.isEnd else { return }
        row.path = run.path
        row.response = run.response
        if run.progress.resumedBytes > row.completedBytes {
            try transaction.attempts.forgetStarts(of: row.id)
        }
        row.completedBytes = run.progress.resumedBytes
        row.totalBytes = run.progress.totalBytes ?? row.totalBytes
        if !run.progress.name.isEmpty, try transaction.renamings.newName(of: row.id) == nil {
            row.name = run.progress.name
        }
        try transaction.downloads.save(row)
        if let file = run.partial { try transaction.writtenFiles.record(file, of: row.id) }
    }
}
