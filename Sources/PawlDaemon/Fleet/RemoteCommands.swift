internal import Pawl
internal import PawlCore
internal import PawlWire

/// Carries out what commands on other nodes have made of the downloads that run here, and removes the
/// files that others have asked to remove.
///
/// The command has changed the row; this node stops, restarts or limits the run accordingly. It is
/// used on the thread of the queue only.
final class RemoteCommands {
    private let parts: QueueParts
    /// The removals that were begun for others.
    ///
    /// What could not be removed is tried again at the next start.
    private var begun: Set<Int64> = []
    private var hasRun = false

    init(_ parts: QueueParts) { self.parts = parts }

    func carryOut() throws(DownloadError) {
        let running = Array(parts.environment.running.all.keys)
        let (rows, removals) = try parts.environment.store.readBlocking { transaction in
            (try transaction.commands.rows(of: running), try transaction.commands.removals())
        }
        begun.formIntersection(removals.map(\.id))
        var left = Dictionary(grouping: removals, by: \.download)
        for id in running {
            let own = left.removeValue(forKey: id) ?? []
            if let row = rows[id] {
                if row.isOwn { follow(row, own) }
            } else {
                remove(id, own)
            }
        }
        if hasRun {
            begin(left.values.joined())
        } else {
            // The start of the daemon has begun them.
            begun.formUnion(left.values.joined().map(\.id))
            hasRun = true
        }
        parts.environment.work.send()
    }

    /// Queues removals that nobody has begun here.
    private func begin(_ removals: some Sequence<Intention>) {
        let new = removals.filter { begun.insert($0.id).inserted }
        parts.queue(new.compactMap(RemovalJob.init))
    }

    /// Ends the run of a download that was removed.
    private func remove(_ id: Int64, _ removals: [Intention]) {
        // A command of this node has done so already.
        guard parts.removals.jobAfterRun(of: id) == nil else { return }
        parts.waiting.leave(id)
        // The first one has the partial file, which the run still has open.
        if let first = removals.first {
            begun.insert(first.id)
            parts.removals.keep(RemovalJob(first), untilEndOf: id)
        }
        begin(removals.dropFirst())
        parts.control.stop(id, keeping: removals.isEmpty)
        parts.uploads.check()
    }

    private func follow(_ row: CommandTable.Row, _ removals: [Intention]) {
        let download = row.download
        switch download.state {
        case .paused, .suspended:
            parts.waiting.leave(download.id)
            parts.control.stop(download.id, keeping: true)
        case .cancelled:
            parts.waiting.leave(download.id)
            let known = parts.removals.replaced(atEndOf: download.id)
            for removal in removals where !known.contains(removal.id) {
                parts.removals.replace(removal.id, atEndOf: download.id)
            }
            if download.isObject { parts.uploads.check() }
            parts.control.stop(download.id, keeping: false)
        case .waiting:
            // It was paused and resumed: the next run begins after the end of this one.
            parts.retries.forget(download.id)
            parts.waiting.wait(QueueScheduler.Entry(download))
            parts.control.stop(download.id, keeping: true)
        case .running, .waitingForConnectivity:
            let running = parts.environment.running
            running.regroup(download, limits: parts.groupLimits(of: download))
            running[download.id]?.limitBytesPerSecond = download.limitBytesPerSecond
            if row.restarts { parts.control.restart(download.id) }
        case .finished, .failed:
            return
        }
    }
}
